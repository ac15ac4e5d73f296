package conformance_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/test/conformance"
)

const (
	projectsPath  = "/apis/v4/projects/v0"
	locationsPath = "/apis/v4/listing-management/v1/external/locations"
	rawLocations  = "/apis/v4-raw/listing-management/v1/external/locations"
	campaignsPath = "/apis/v4/map-rank-tracker/v0/campaigns"
	nowhere       = "00000000000000000000000000000000"
)

// analyticsServer is a server with one user who calls the data methods.
type analyticsServer struct {
	*conformance.Server
	token string
}

// openAnalytics raises the limits unless the row is about them: the clock of a
// server stands still, so no second ever ends.
func openAnalytics(t *testing.T, open opener, configure func(*app.Config)) analyticsServer {
	t.Helper()
	h := analyticsServer{Server: open(t, conformance.Options{Configure: func(c *app.Config) {
		c.Analytics.RequestsPerSecond, c.Analytics.UpdatesPerSecond, c.Analytics.BulksPerMinute = 1e6, 1e6, 1e6
		if configure != nil {
			configure(c)
		}
	}})}
	h.User(t, "kim")
	h.token = h.Token(t, "kim", "analytics")
	return h
}

func (h analyticsServer) call(t *testing.T, method, path, body string) *conformance.Answer {
	t.Helper()
	return h.Do(t, conformance.Call{Method: method, Path: path, Bearer: h.token, Body: body})
}

// common checks the common envelope of an answer and returns it.
func common(t *testing.T, a *conformance.Answer) map[string]any {
	t.Helper()
	object := a.Object(t)
	success := a.Status/100 == 2
	if got := conformance.Member(t, object, "meta", "success"); got != success {
		t.Errorf("%v: meta.success is %v", a, got)
	}
	if got := conformance.Integer(t, object, "meta", "status_code"); int(got) != a.Status {
		t.Errorf("%v: meta.status_code is %d", a, got)
	}
	if got := conformance.Text(t, object, "meta", "request_id"); got != a.Header.Get("X-Request-Id") {
		t.Errorf("%v: meta.request_id is %q, the header says %q", a, got, a.Header.Get("X-Request-Id"))
	}
	if success {
		conformance.Only(t, object, "meta", "data")
		return object
	}
	conformance.Only(t, object, "meta", "error")
	conformance.Integer(t, object, "error", "code")
	if conformance.Text(t, object, "error", "message") == "" {
		t.Errorf("%v: the message is empty", a)
	}
	return object
}

// data is the data of a success in the common envelope.
func (h analyticsServer) data(t *testing.T, method, path, body string) map[string]any {
	t.Helper()
	return conformance.Sub(t, common(t, h.call(t, method, path, body).Want(t, http.StatusOK)), "data")
}

// failed is a failure in the common envelope.
func (h analyticsServer) failed(t *testing.T, status int, method, path, body string) map[string]any {
	t.Helper()
	return common(t, h.call(t, method, path, body).Want(t, status))
}

// local is a failure in the local envelope; it returns the detail codes.
func local(t *testing.T, a *conformance.Answer, status int, code string) []string {
	t.Helper()
	object := a.Want(t, status).Object(t)
	conformance.Only(t, object, "error", "requestId")
	if got := conformance.Text(t, object, "error", "code"); got != code {
		t.Errorf("%v: error.code is %q, want %q", a, got, code)
	}
	if conformance.Text(t, object, "error", "message") == "" ||
		conformance.Text(t, object, "requestId") != a.Header.Get("X-Request-Id") {
		t.Errorf("%v: message or requestId is wrong", a)
	}
	var codes []string
	for _, d := range conformance.Member(t, object, "error", "details").([]any) {
		detail := d.(map[string]any)
		conformance.Text(t, detail, "message")
		codes = append(codes, conformance.Text(t, detail, "code"))
	}
	return codes
}

// location adds a location and returns its id.
func (h analyticsServer) location(t *testing.T, name string) string {
	t.Helper()
	return conformance.Text(t, h.Command(t, "listings add", map[string][]string{
		"name": {name}, "user": {"kim"}, "address": {"Long Street 1"}, "city": {"Berlin"}, "country": {"DE"},
		"phone":    {"+49 30 1234567"},
		"category": {"Bakery"}, "lat": {"52.52"}, "lng": {"13.405"},
	}), "id")
}

// locationBody is a full update; extra members follow it.
func locationBody(id, name string, extra ...string) string {
	members := append(
		[]string{`"locationName":"` + name + `","city":"Berlin","address":"Short Street 2","phone":"+49 30 7654321"`},
		extra...,
	)
	if id != "" {
		members = append(members, `"id":"`+id+`"`)
	}
	return "{" + strings.Join(members, ",") + "}"
}

// TestAnalyticsData proves K-01 to K-07, K-24 to K-27 and K-30 to K-43.
func TestAnalyticsData(t *testing.T) {
	t.Parallel()
	conformance.On(t, func(t *testing.T, open func(*testing.T, conformance.Options) *conformance.Server) {
		h := openAnalytics(t, open, nil)
		analyticsEnvelopes(t, h)
		analyticsListings(t, h)
		analyticsOperations(t, h)
		analyticsStatuses(t, h)
		analyticsFailures(t, open)
	})
}

func analyticsEnvelopes(t *testing.T, h analyticsServer) {
	t.Run("K-01", func(t *testing.T) {
		h.data(t, "GET", projectsPath, "")
		h.data(t, "GET", campaignsPath, "")
		h.failed(t, http.StatusNotFound, "GET", projectsPath+"/123", "")
		h.failed(t, http.StatusNotFound, "GET", "/apis/v4/nothing", "")
	})
	t.Run("K-02", func(t *testing.T) {
		h.data(t, "POST", projectsPath, `{"url":"k02.example"}`)
		h.failed(t, http.StatusConflict, "POST", projectsPath, `{"url":"k02.example"}`)
	})
	t.Run("K-03", func(t *testing.T) {
		object := h.failed(t, http.StatusBadRequest, "POST", projectsPath, `{"url":"k03.example","project_name":"a<b"}`)
		list, ok := conformance.Member(t, object, "error", "details").([]any)
		if !ok || len(list) != 1 {
			t.Fatalf("details: got %v", object)
		}
		violations := conformance.Member(t, list[0].(map[string]any), "message", "field_violations").([]any)
		violation := violations[0].(map[string]any)
		conformance.Only(t, violation, "field", "description")
		if got := conformance.Text(t, violation, "field"); got != "project_name" {
			t.Errorf("field: got %q", got)
		}
	})
	t.Run("K-07", func(t *testing.T) {
		h.failed(t, http.StatusNotFound, "GET", campaignsPath+"/"+nowhere, "")
		h.failed(t, http.StatusBadRequest, "POST", campaignsPath, `{}`)
	})
}

func analyticsListings(t *testing.T, h analyticsServer) {
	one, two := h.location(t, "One"), h.location(t, "Two")
	t.Run("K-04", func(t *testing.T) {
		local(t, h.call(t, "GET", locationsPath+"/"+nowhere, ""), http.StatusNotFound, "RESOURCE_NOT_FOUND")
		local(t, h.call(t, "GET", rawLocations+"/"+nowhere, ""), http.StatusNotFound, "RESOURCE_NOT_FOUND")
	})
	t.Run("K-05", func(t *testing.T) {
		local(t, h.call(t, "PUT", locationsPath+"/"+one, `{"locationName":`), http.StatusBadRequest, "BAD_REQUEST")
		local(t, h.call(t, "PUT", locationsPath+"/"+nowhere, locationBody("", "x")), http.StatusNotFound,
			"RESOURCE_NOT_FOUND")
		local(t, h.call(t, "PUT", locationsPath+"/"+one, `{}`), http.StatusBadRequest, "VALIDATION_ERROR")
	})
	t.Run("K-06", func(t *testing.T) {
		twice := `{"locations":[` + locationBody(one, "x") + "," + locationBody(one, "y") + `]}`
		holiday := conformance.Began().Format("2006") + "-12-25"
		hours := `"businessHours":{"monday":[{"from":"08:00","to":"12:00"}]}`
		notAllowed := locationBody("", "x", hours,
			`"holidayHours":[{"type":"CLOSED","day":"`+holiday+`","times":[{"from":"08:00","to":"09:00"}]}]`)
		tooMany := locationBody("", "x", hours, `"holidayHours":[{"type":"RANGE","day":"`+holiday+`","times":[`+
			strings.TrimSuffix(strings.Repeat(`{"from":"08:00","to":"09:00"},`, 4), ",")+`]}]`)
		for _, c := range []struct {
			want, code, path, body string
			status                 int
		}{
			{"LOCATIONS_ARE_NOT_UNIQUE", "BAD_REQUEST", locationsPath, twice, 400},
			{"LOCATION_NOT_FOUND", "RESOURCE_NOT_FOUND", locationsPath + "/" + nowhere, locationBody("", "x"), 404},
			{"TIMES_NOT_ALLOWED", "VALIDATION_ERROR", locationsPath + "/" + one, notAllowed, 400},
			{"TIMES_TOO_MANY_RANGES", "VALIDATION_ERROR", locationsPath + "/" + one, tooMany, 400},
		} {
			if got := local(t, h.call(t, "PUT", c.path, c.body), c.status, c.code); !slices.Contains(got, c.want) {
				t.Errorf("detail codes: got %v, want %s", got, c.want)
			}
		}
	})
	t.Run("K-25", func(t *testing.T) {
		object := h.call(t, "PUT", locationsPath+"/"+one, locationBody("", "New name")).Want(t, http.StatusOK).Object(t)
		conformance.Only(t, object, "meta", "data", "requestId")
		if got := conformance.Text(
			t, h.call(t, "GET", rawLocations+"/"+one, "").Want(t, http.StatusOK).Object(t), "data", "locationName",
		); got != "New name" {
			t.Errorf("locationName: got %q", got)
		}
		h.call(t, "PUT", locationsPath,
			"["+locationBody(one, "a")+","+locationBody(two, "b")+"]").Want(t, http.StatusOK)
		list := h.call(t, "GET", locationsPath+"?page=1&size=1", "").Want(t, http.StatusOK).Object(t)
		if got := conformance.Integer(t, list, "data", "totalElements"); got != 2 {
			t.Errorf("totalElements: got %d, want 2", got)
		}
	})
	t.Run("K-27", func(t *testing.T) {
		object := h.call(t, "PUT", locationsPath,
			"["+locationBody(one, "Good")+","+locationBody(nowhere, "Bad")+`,{"id":"`+two+`"}]`).
			Want(t, http.StatusOK).Object(t)
		entries := conformance.Member(t, object, "data").([]any)
		var states []string
		for i, e := range entries {
			entry := e.(map[string]any)
			states = append(states, conformance.Text(t, entry, "state"))
			if i > 0 {
				conformance.Text(t, entry, "error", "code")
				if got := conformance.Text(t, entry, "index"); got != fmt.Sprint(i) {
					t.Errorf("index: got %q, want %d", got, i)
				}
			}
		}
		if want := []string{"UPDATED", "FAILED", "FAILED"}; !slices.Equal(states, want) {
			t.Errorf("states: got %v, want %v", states, want)
		}
		for id, want := range conformance.InOrder(map[string]string{one: "Good", two: "b"}) {
			if got := conformance.Text(
				t, h.call(t, "GET", locationsPath+"/"+id, "").Object(t), "data", "locationName",
			); got != want {
				t.Errorf("locationName of %s: got %q, want %q", id, got, want)
			}
		}
	})
	t.Run("K-42", func(t *testing.T) {
		local(t, h.call(t, "GET", locationsPath+"/"+nowhere, ""), http.StatusNotFound, "RESOURCE_NOT_FOUND")
		local(t, h.Do(t, conformance.Call{Path: locationsPath}), http.StatusUnauthorized, "UNAUTHORIZED")
		local(t, h.call(t, "DELETE", locationsPath+"/"+one, ""), 551, "METHOD_NOT_SUPPORTED")
		local(t, h.call(t, "GET", "/apis/v4/listing-management/v9", ""), http.StatusNotFound, "RESOURCE_NOT_FOUND")
	})
}

// places imports a bakery and its neighbours and returns the bakery's id.
func (h analyticsServer) places(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "places.csv")
	text := "id,name,categories,lat,lng,rating,reviews\n" +
		"own,Corner Bakery,Bakery,52.5200,13.4050,4.5,120\n" +
		"rival,Bread Palace Bakery,Bakery,52.5300,13.4100,4.9,900\n" +
		"far,Bakery of Potsdam,Bakery,52.4000,13.0600,4.0,10\n" +
		"other,Shoe Shop,Shoes,52.5201,13.4051,5,5000\n"
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	h.Command(t, "places import", map[string][]string{"file": {name}})
	return "own"
}

// collected makes a campaign, collects it and waits for the report.
func (h analyticsServer) collected(t *testing.T, place string) (path, keyword, date string) {
	t.Helper()
	made := h.data(t, "POST", campaignsPath,
		`{"placeId":"`+place+`","keywords":["bakery"],"gridSettings":{"template":"3x3","unit":"KM","distance":1}}`)
	path = campaignsPath + "/" + conformance.Text(t, made, "id")
	keyword = conformance.Text(t, conformance.Member(t, made, "keywords").([]any)[0].(map[string]any), "id")
	date = conformance.Text(t, h.data(t, "PUT", path+"/collect", ""), "collectingReportDate")
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if conformance.Text(t, h.data(t, "GET", path, ""), "status") == "COLLECTED" {
			return path, keyword, date
		}
		if time.Now().After(end) {
			t.Fatalf("the campaign is not collected: %v", h.data(t, "GET", path, ""))
		}
	}
}

func analyticsOperations(t *testing.T, h analyticsServer) {
	t.Run("K-24", func(t *testing.T) {
		made := h.data(t, "POST", projectsPath, `{"url":"https://k24.example/","project_name":"Mine"}`)
		conformance.Only(t, made, "project_id", "project_name", "url", "domain_unicode", "tools", "owner_id",
			"permission")
		id := conformance.Integer(t, made, "project_id")
		path := fmt.Sprintf("%s/%d", projectsPath, id)
		if got := conformance.Text(t, h.data(t, "GET", path, ""), "url"); got != "k24.example" {
			t.Errorf("url: got %q", got)
		}
		h.data(t, "PUT", projectsPath, fmt.Sprintf(`{"project_id":%d,"project_name":"Renamed"}`, id))
		if got := conformance.Text(t, h.data(t, "GET", path, ""), "project_name"); got != "Renamed" {
			t.Errorf("project_name: got %q", got)
		}
		if got := conformance.Member(t, h.data(t, "DELETE", path, ""), "result"); got != true {
			t.Errorf("result: got %v", got)
		}
		h.failed(t, http.StatusNotFound, "GET", path, "")
	})
	t.Run("K-26", func(t *testing.T) {
		place := h.places(t)
		path, keyword, date := h.collected(t, place)
		query := "?keywordId=" + keyword + "&reportDate=" + url.QueryEscape(date)
		statuses := h.data(t, "GET", path+"/keywords", "")
		if got := conformance.Text(
			t, conformance.Member(t, statuses, "keywords").([]any)[0].(map[string]any), "status",
		); got != "COLLECTED" {
			t.Errorf("keyword status: got %q", got)
		}
		positions := conformance.Member(t, h.data(t, "GET", path+"/heatmap"+query+"&placeIds="+place, ""),
			"positions").([]any)
		if len(positions) != 9 {
			t.Fatalf("positions: got %d, want 9", len(positions))
		}
		if got := conformance.Integer(t, positions[4].(map[string]any), "position"); got != 1 {
			t.Errorf("position at the bakery itself: got %d, want 1", got)
		}
		picture := h.call(t, "GET", path+"/heatmap"+query+"&format=png", "").Want(t, http.StatusOK)
		if !strings.HasPrefix(string(picture.Body), "\x89PNG") {
			t.Errorf("the picture is not a PNG: %.20q", picture.Body)
		}
		metrics := h.data(t, "GET", path+"/metrics?keywordId="+keyword, "")
		if _, ok := conformance.Sub(t, metrics, "average_positions")[date].(json.Number); !ok {
			t.Errorf("metrics have no %s: %v", date, metrics)
		}
		rivals := h.data(t, "GET", path+"/top-competitors"+query, "")
		var names []string
		for _, c := range conformance.Member(t, rivals, "competitors", "content").([]any) {
			names = append(names, conformance.Text(t, c.(map[string]any), "business", "name"))
		}
		if !slices.Contains(names, "Bread Palace Bakery") || slices.Contains(names, "Shoe Shop") {
			t.Errorf("competitors: got %v", names)
		}
		h.data(t, "DELETE", path, "")
		h.failed(t, http.StatusNotFound, "GET", path, "")
	})
	t.Run("K-43", func(t *testing.T) {
		for _, version := range []string{"v3", "v5"} {
			h.call(t, "GET", strings.Replace(projectsPath, "v4", version, 1), "").Want(t, http.StatusNotFound)
		}
	})
}

func analyticsStatuses(t *testing.T, h analyticsServer) {
	t.Run("K-30", func(t *testing.T) { h.data(t, "GET", projectsPath, "") })
	t.Run("K-31", func(t *testing.T) {
		for _, body := range []string{"", "{", "[]", `{"url":7}`, `{}`, `{"url":"no domain"}`} {
			h.failed(t, http.StatusBadRequest, "POST", projectsPath, body)
		}
	})
	t.Run("K-32", func(t *testing.T) {
		for _, token := range []string{"", "wrong"} {
			common(t, h.Do(t, conformance.Call{Path: projectsPath, Bearer: token}).Want(t, http.StatusUnauthorized))
		}
	})
	t.Run("K-33", func(t *testing.T) {
		h.User(t, "ken")
		other := analyticsServer{Server: h.Server, token: h.Token(t, "ken", "analytics")}
		id := conformance.Integer(t, other.data(t, "POST", projectsPath, `{"url":"k33.example"}`), "project_id")
		h.failed(t, http.StatusNotFound, "GET", fmt.Sprintf("%s/%d", projectsPath, id), "")
		h.failed(t, http.StatusNotFound, "DELETE", fmt.Sprintf("%s/%d", projectsPath, id), "")
		narrow := analyticsServer{Server: h.Server, token: h.Token(t, "kim", "analytics", "siteaudit.info")}
		narrow.failed(t, http.StatusForbidden, "GET", projectsPath, "")
	})
	t.Run("K-34", func(t *testing.T) {
		h.failed(t, http.StatusNotFound, "GET", projectsPath+"/100000000000000", "")
		h.failed(t, http.StatusNotFound, "GET", projectsPath+"/x", "")
	})
	t.Run("K-35", func(t *testing.T) {
		h.data(t, "POST", projectsPath, `{"url":"k35.example"}`)
		h.failed(t, http.StatusConflict, "POST", projectsPath, `{"url":"http://K35.example"}`)
	})
	t.Run("K-39", func(t *testing.T) {
		for _, method := range []string{"POST", "PUT", "PATCH"} {
			h.failed(t, 551, method, projectsPath+"/1", `{}`)
		}
		h.failed(t, 551, "DELETE", campaignsPath, "")
	})
}

func analyticsFailures(t *testing.T, open opener) {
	t.Run("K-36", func(t *testing.T) {
		h := openAnalytics(t, open, func(c *app.Config) { c.Analytics.RequestsPerSecond = 3 })
		for range 3 {
			h.data(t, "GET", projectsPath, "")
		}
		h.failed(t, http.StatusTooManyRequests, "GET", projectsPath, "")
		second := analyticsServer{Server: h.Server, token: h.Token(t, "kim", "analytics")}
		second.data(t, "GET", projectsPath, "")
		h.Clock.Advance(time.Second)
		h.data(t, "GET", projectsPath, "")
	})
	t.Run("K-37", func(t *testing.T) { analyticsGone(t, open) })
	t.Run("K-38", func(t *testing.T) {
		var config app.Config
		h := openAnalytics(t, open, func(c *app.Config) { config = *c })
		breakTable(t, config, "analytics_projects")
		h.failed(t, 550, "GET", projectsPath, "")
	})
	t.Run("K-40", func(t *testing.T) {
		h := openAnalytics(t, open, func(c *app.Config) { c.Analytics.Maintenance = true })
		h.failed(t, 553, "GET", projectsPath, "")
		local(t, h.call(t, "GET", locationsPath, ""), 553, "SERVICE_UNAVAILABLE")
	})
	t.Run("K-41", func(t *testing.T) {
		h := openAnalytics(t, open, func(c *app.Config) { c.Analytics.Timeout = time.Nanosecond })
		h.failed(t, 554, "GET", projectsPath, "")
		local(t, h.call(t, "GET", locationsPath, ""), 554, "GATEWAY_TIMEOUT")
	})
}

// breakTable takes a table away under the running server.
func breakTable(t *testing.T, config app.Config, table string) {
	t.Helper()
	db, err := database.Open(t.Context(), database.Options{Dir: config.Data, URL: config.Database.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
		_, err := tx.Exec(t.Context(), `DROP TABLE `+table)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// lines is a log that a test can look into while it grows.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// has reports whether one line holds all the words.
func (l *lines) has(words ...string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.SplitSeq(l.text.String(), "\n") {
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(line, w) }) {
			return true
		}
	}
	return false
}

// analyticsGone leaves while a long list is being stored.
func analyticsGone(t *testing.T, open opener) {
	const many = 10_000
	log := &lines{}
	h := analyticsServer{
		Server: open(t, conformance.Options{Log: log, Configure: func(c *app.Config) { c.Analytics.MaxBulk = many }}),
	}
	h.User(t, "kim")
	h.token = h.Token(t, "kim", "analytics")
	var items []string
	for i := range many {
		items = append(items, fmt.Sprintf(`{"id":"%032x"}`, i))
	}
	body := "[" + strings.Join(items, ",") + "]"
	host := strings.TrimPrefix(h.URL, "http://")
	connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	_, err = fmt.Fprintf(connection, "PUT %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: "+
		"application/json\r\nContent-Length: %d\r\n\r\n%s",
		locationsPath, host, h.token, len(body), body)
	if err != nil {
		t.Fatal(err)
	}
	connection.Close()
	for end := time.Now().Add(20 * time.Second); !log.has(
		"locations.updateMany", "status=499",
	); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no request was recorded as 499: %s", log.text.String())
		}
	}
}
