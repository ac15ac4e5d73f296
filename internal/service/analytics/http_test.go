package analytics_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/analytics"
	"stoa.dev/stoa/internal/service/analytics/locations"
	"stoa.dev/stoa/internal/service/analytics/ranking"
)

const (
	projects      = "/apis/v4/projects/v0"
	locationsPath = "/apis/v4/listing-management/v1/external/locations"
	campaigns     = "/apis/v4/map-rank-tracker/v0/campaigns"
	unknownID     = "00000000000000000000000000000000"
)

// testServer is the service with a user and a token of theirs.
type testServer struct {
	*identitytest.Server
	service *analytics.Service
	user    identity.User
	token   string
}

// onBoth runs a test on each database, with high limits.
func onBoth(t *testing.T, configure func(*analytics.Config), fn func(t *testing.T, d *testServer)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		fn(t, newServer(t, "", configure))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		fn(t, newServer(t, databasetest.PostgresURL(t), configure))
	})
}

// newServer serves from the database behind url; empty means SQLite.
func newServer(t testing.TB, url string, configure func(*analytics.Config)) *testServer {
	t.Helper()
	c := analytics.DefaultConfig()
	c.RequestsPerSecond, c.UpdatesPerSecond, c.BulksPerMinute = 1e6, 1e6, 1e6
	if configure != nil {
		configure(&c)
	}
	d := &testServer{}
	d.Server = identitytest.Open(t, func(w *world.World, identity *identity.Identity) module.Module {
		d.service = analytics.New(w, identity, grants.New(w, identity), c)
		return d.service.Module()
	}, url)
	d.user, d.token = d.User("kim"), d.Token("kim")
	return d
}

// as is the server as another user calls it.
func (d *testServer) as(name string) *testServer {
	return &testServer{Server: d.Server, service: d.service, user: d.User(name), token: d.Token(name)}
}

func (d *testServer) call(method, path, body string, headers ...string) *httptest.ResponseRecorder {
	return d.Server.Call(method, path, body, append(headers, "Authorization: Bearer "+d.token)...)
}

// ok is a call that must answer the status; it returns the body.
func (d *testServer) ok(t *testing.T, status int, method, path, body string, headers ...string) map[string]any {
	t.Helper()
	w := d.call(method, path, body, headers...)
	if w.Code != status {
		t.Fatalf("%s %s = %d %.500s, want %d", method, path, w.Code, w.Body, status)
	}
	var out map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
		t.Fatalf("%s %s = %.200s: %v", method, path, w.Body, err)
	}
	return out
}

func (d *testServer) data(t *testing.T, method, path, body string, headers ...string) map[string]any {
	t.Helper()
	return d.ok(t, http.StatusOK, method, path, body, headers...)["data"].(map[string]any)
}

// add makes a location with everything that is required.
func (d *testServer) add(t *testing.T, name string, at *ranking.Coordinates) string {
	t.Helper()
	change := locations.LocationChange{
		LocationName: wire.Some(name), City: wire.Some("Berlin"), Address: wire.Some("Street 1"),
		Phone:      wire.Some("+49 30 1234567"),
		Categories: wire.Some([]string{"Bakery"}),
	}
	if at != nil {
		change.Coordinates = wire.Some(*at)
	}
	l, err := d.service.Locations().AddLocation(t.Context(), d.user.ID, "de", change)
	if err != nil {
		t.Fatal(err)
	}
	return l.ID
}

// full is the body of an update: the required members, then extra ones, which win.
func full(extra string) string {
	if extra != "" {
		extra = "," + extra
	}
	return `{"locationName":"A","city":"B","address":"C","phone":"+49 30 1234567"` + extra + `}`
}

func TestProjects(t *testing.T) {
	t.Parallel()
	onBoth(t, func(c *analytics.Config) { c.MaxProjects = 4 }, func(t *testing.T, d *testServer) {
		made := d.data(t, "POST", projects, `{"url":"https://Bücher.example/shop"}`)
		if made["url"] != "xn--bcher-kva.example" || made["domain_unicode"] != "bücher.example" ||
			made["project_name"] != "xn--bcher-kva.example" {
			t.Errorf("made: got %v", made)
		}
		first := d.data(t, "POST", projects, `{"url":"retry.example"}`, "Idempotency-Key: one")
		again := d.data(t, "POST", projects, `{"url":"retry.example"}`, "Idempotency-Key: one")
		if first["project_id"] != again["project_id"] {
			t.Errorf("a retry made another project: %v and %v", first, again)
		}
		d.ok(t, 409, "POST", projects, `{"url":"other.example"}`, "Idempotency-Key: one")
		d.ok(t, 409, "POST", projects, `{"url":"retry.example"}`)
		for _, key := range []string{strings.Repeat("k", 256), "\xff"} {
			d.ok(t, 400, "POST", projects, `{"url":"x.example"}`, "Idempotency-Key: "+key)
		}
		d.data(t, "POST", projects, `{"url":"a.example"}`)
		d.data(t, "POST", projects, `{"url":"b.example"}`)
		d.ok(t, 403, "POST", projects, `{"url":"c.example"}`)
		list := d.data(t, "GET", projects, "")["projects"].([]any)
		if len(list) != 4 {
			t.Errorf("projects: got %d, want 4", len(list))
		}
		for _, body := range []string{
			`{"project_name":"x"}`, `{"project_id":"1","project_name":"x"}`, `{"project_id":1}`,
			`{"project_id":1,"project_name":"a{b"}`,
		} {
			d.ok(t, 400, "PUT", projects, body)
		}
		d.ok(t, 404, "PUT", projects, `{"project_id":1,"project_name":"x"}`)
	})
}

func TestProjectsAtOnce(t *testing.T) {
	t.Parallel()
	onBoth(t, nil, func(t *testing.T, d *testServer) {
		t.Run("one of many creates", d.raceToCreate)
		t.Run("reads are fresh", d.readsAreFresh)
	})
}

// Of many concurrent creates of the same project one succeeds; with one key all get it.
func (d *testServer) raceToCreate(t *testing.T) {
	const n = 8
	race := func(url string, headers ...string) (codes []int) {
		codes = make([]int, n)
		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() { codes[i] = d.call("POST", projects, `{"url":"`+url+`"}`, headers...).Code })
		}
		wg.Wait()
		slices.Sort(codes)
		return codes
	}
	if got := race("race.example"); got[0] != 200 || got[1] != 409 || got[n-1] != 409 {
		t.Errorf("without a key: got %v, want one 200", got)
	}
	if got := race("keyed.example", "Idempotency-Key: k"); got[n-1] != 200 {
		t.Errorf("with a key: got %v, want 200 only", got)
	}
}

// What is read after a change is the change, however many read and write at once.
func (d *testServer) readsAreFresh(t *testing.T) {
	made := d.data(t, "POST", projects, `{"url":"fresh.example"}`)
	id := int64(made["project_id"].(float64))
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					_, _ = d.service.GetProject(t.Context(), d.user.ID, id) // only the writer below judges
				}
			}
		})
	}
	for i := range 20 {
		name := fmt.Sprintf("name %d", i)
		if _, err := d.service.RenameProject(t.Context(), d.user.ID, id, name, ""); err != nil {
			t.Error(err)
		}
		if p, err := d.service.GetProject(t.Context(), d.user.ID, id); err != nil || p.Name != name {
			t.Errorf("after the change: got %q %v, want %q", p.Name, err, name)
		}
	}
	close(stop)
	wg.Wait()
	if err := d.service.DeleteProject(t.Context(), d.user.ID, id); err != nil {
		t.Fatal(err)
	}
	d.ok(t, 404, "GET", fmt.Sprintf("%s/%d", projects, id), "")
}

func TestLocationRules(t *testing.T) {
	t.Parallel()
	onBoth(t, nil, func(t *testing.T, d *testServer) {
		id := d.add(t, "Shop", nil)
		us, err := d.service.Locations().AddLocation(t.Context(), d.user.ID, "US", locations.LocationChange{
			LocationName: wire.Some("A"), City: wire.Some("B"),
			Address: wire.Some("C"), Phone: wire.Some("+1 212 555 0100"), Region: wire.Some("NY"),
		})
		if err != nil {
			t.Fatal(err)
		}
		hours := `"businessHours":{"monday":[{"from":"08:00","to":"12:00"}]},`
		times := func(n int) string {
			return strings.TrimSuffix(strings.Repeat(`{"from":"08:00","to":"09:00"},`, n), ",")
		}
		for _, c := range []struct{ name, id, body, code, field, index string }{
			{
				"no name", id, `{"city":"B","address":"C","phone":"+49301234567"}`, "LOCATION_NAME_REQUIRED",
				"locationName", "",
			},
			{
				"long name", id,
				`{"locationName":"` + strings.Repeat("ñ", 101) + `","city":"B","address":"C","phone":"+49301234567"}`,
				"LOCATION_NAME_TOO_LONG", "locationName", "",
			},
			{"no city", id, `{"locationName":"A","address":"C","phone":"+49301234567"}`, "CITY_REQUIRED", "city", ""},
			{
				"no address", id, `{"locationName":"A","city":"B","phone":"+49301234567"}`, "ADDRESS_REQUIRED",
				"address", "",
			},
			{"no phone", id, `{"locationName":"A","city":"B","address":"C"}`, "PHONE_NOT_SPECIFIED", "phone", ""},
			{
				"local phone", id, `{"locationName":"A","city":"B","address":"C","phone":"030 1234567"}`,
				"PHONE_INVALID", "phone", "",
			},
			{"website", id, full(`"websiteUrl":"ftp://x"`), "WEBSITE_URL_INVALID", "websiteUrl", ""},
			{"latitude", id, full(`"coordinates":{"lat":90.5,"lng":0}`), "COORDINATES_INVALID", "coordinates", ""},
			{"longitude", id, full(`"coordinates":{"lat":0,"lng":-181}`), "COORDINATES_INVALID", "coordinates", ""},
			{
				"overlap", id,
				full(`"businessHours":{"monday":[{"from":"08:00","to":"12:00"},{"from":"11:59","to":"13:00"}]}`),
				"TIMES_OVERLAP", "businessHours.monday", "",
			},
			{
				"all day and more", id,
				full(`"businessHours":{"sunday":[{"from":"00:00","to":"00:00"},{"from":"11:00","to":"13:00"}]}`),
				"TIMES_OVERLAP", "businessHours.sunday", "",
			},
			{
				"25:00", id, full(`"businessHours":{"friday":[{"from":"08:00","to":"25:00"}]}`), "TIME_FORMAT_INVALID",
				"businessHours.friday", "",
			},
			{
				"8:00", id, full(`"businessHours":{"friday":[{"from":"8:00","to":"12:00"}]}`), "TIME_FORMAT_INVALID",
				"businessHours.friday", "",
			},
			{
				"empty range", id, full(`"businessHours":{"friday":[{"from":"08:00","to":"08:00"}]}`),
				"TIME_FORMAT_INVALID", "businessHours.friday", "",
			},
			{
				"three ranges", id, full(`"businessHours":{"friday":[` + times(3) + `]}`), "TIMES_TOO_MANY_RANGES",
				"businessHours.friday", "",
			},
			{
				"holiday without hours", id, full(`"holidayHours":[{"type":"CLOSED","day":"2026-12-25"}]`),
				"BUSINESS_HOURS_REQUIRED", "businessHours", "",
			},
			{
				"holiday twice", id,
				full(
					hours +
						`"holidayHours":[{"type":"CLOSED","day":"2026-12-25"},{"type":"CLOSED","day":"2026-12-25"}]`,
				),
				"DAY_NOT_UNIQUE", "holidayHours.day", "1",
			},
			{
				"holiday day", id, full(hours + `"holidayHours":[{"type":"CLOSED","day":"2026-02-30"}]`), "DAY_INVALID",
				"holidayHours.day", "0",
			},
			{
				"holiday type", id, full(hours + `"holidayHours":[{"type":"MAYBE","day":"2026-12-25"}]`),
				"TYPE_UNKNOWN", "holidayHours.type", "0",
			},
			{
				"holiday no times", id, full(hours + `"holidayHours":[{"type":"RANGE","day":"2026-12-25"}]`),
				"TIMES_REQUIRED", "holidayHours.times", "0",
			},
			{
				"holiday closed with times", id,
				full(hours + `"holidayHours":[{"type":"CLOSED","day":"2026-12-25","times":[` + times(1) + `]}]`),
				"TIMES_NOT_ALLOWED", "holidayHours.times", "0",
			},
			{
				"holiday four times", id,
				full(
					hours + `"holidayHours":[{"type":"CLOSED","day":"2026-12-24"},{"type":"RANGE",` +
						`"day":"2026-12-25","times":[` + times(4) + `]}]`,
				),
				"TIMES_TOO_MANY_RANGES", "holidayHours.times", "1",
			},
			{"reopen in the past", id, full(`"reopenDate":"2020-01-01"`), "REOPEN_DATE_INVALID", "reopenDate", ""},
			{"reopen too late", id, full(`"reopenDate":"2038-01-01"`), "REOPEN_DATE_INVALID", "reopenDate", ""},
			{"category twice", id, full(`"categories":["a","a"]`), "CATEGORIES_INVALID", "categories", "1"},
			{"photo", id, full(`"photos":["not an address"]`), "PHOTOS_INVALID", "photos", "0"},
			{"zip of the US", us.ID, full(`"zip":"1234"`), "INVALID_ZIP_CODE", "zip", ""},
			{"region of the US", us.ID, full(`"region":null`), "REGION_REQUIRED", "region", ""},
			{"wrong type", id, full(`"zip":7`), "MEMBER_INVALID", "zip", ""},
			{"other id", id, full(`"id":"` + unknownID + `"`), "LOCATION_ID_MISMATCH", "id", ""},
		} {
			t.Run(c.name, func(t *testing.T) {
				out := d.ok(t, 400, "PUT", locationsPath+"/"+c.id, c.body)
				for _, x := range out["error"].(map[string]any)["details"].([]any) {
					detail := x.(map[string]any)
					index, _ := detail["index"].(string)
					if detail["code"] == c.code && detail["field"] == c.field && index == c.index {
						return
					}
				}
				t.Errorf("details: got %v, want %s of %s at %q", out, c.code, c.field, c.index)
			})
		}
		d.data(t, "PUT", locationsPath+"/"+id, full(
			hours+`"zip":"10115","holidayHours":[{"type":"RANGE","day":"2026-12-31","times":[{"from":"22:00",`+
				`"to":"02:00"}]}]`,
		))
		kept := d.data(t, "PUT", locationsPath+"/"+id, full(`"zip":null`))
		if kept["zip"] != "" || len(kept["holidayHours"].([]any)) != 1 {
			t.Errorf("absent members must stay and null must clear: got %v", kept)
		}
	})
}

// A list at the raised maximum with every tenth location bad: the good ones are
// stored, each bad one is named.
func TestBulk(t *testing.T) {
	t.Parallel()
	const n = 1000
	onBoth(t, func(c *analytics.Config) { c.MaxBulk = n }, func(t *testing.T, d *testServer) {
		var items []string
		for i := range n {
			id, phone := d.add(t, "before", nil), "+49 30 1234567"
			if i%10 == 3 {
				phone = "none"
			}
			items = append(items, fmt.Sprintf(
				`{"id":"%s","locationName":"after %d","city":"B","address":"C","phone":"%s"}`, id, i, phone,
			))
		}
		start := time.Now()
		results := d.ok(t, 200, "PUT", locationsPath, "["+strings.Join(items, ",")+"]")["data"].([]any)
		t.Logf("%d locations took %s", n, time.Since(start))
		for i, x := range results {
			entry := x.(map[string]any)
			if i%10 != 3 {
				if entry["state"] != "UPDATED" || entry["error"] != nil {
					t.Fatalf("entry %d: got %v", i, entry)
				}
				continue
			}
			detail := entry["error"].(map[string]any)["details"].([]any)[0].(map[string]any)
			if entry["state"] != "FAILED" || entry["index"] != fmt.Sprint(i) || detail["code"] != "PHONE_INVALID" ||
				detail["field"] != "phone" {
				t.Fatalf("entry %d: got %v", i, entry)
			}
		}
		page := d.data(t, "GET", locationsPath+"?page=10&size=100", "")
		for i, x := range page["content"].([]any) {
			want := fmt.Sprintf("after %d", 900+i)
			if i%10 == 3 {
				want = "before"
			}
			if got := x.(map[string]any)["locationName"]; got != want {
				t.Errorf("location %d: got %v, want %s", 900+i, got, want)
			}
		}
		codes := func(body string) string {
			out := d.ok(t, 400, "PUT", locationsPath, body)
			return fmt.Sprint(out["error"].(map[string]any)["details"].([]any)[0].(map[string]any)["code"])
		}
		many := "[" + strings.TrimSuffix(strings.Repeat(items[0]+",", 10_000), ",") + "]"
		for body, want := range map[string]string{
			many: "LOCATIONS_TOO_MANY", "[]": "LOCATIONS_EMPTY", `{}`: "LOCATIONS_EMPTY",
			"[" + items[0] + "," + items[0] + "]": "LOCATIONS_ARE_NOT_UNIQUE",
		} {
			if got := codes(body); got != want {
				t.Errorf("%.40s: got %s, want %s", body, got, want)
			}
		}
		for _, body := range []string{"", "7", `"x"`, `{"locations":7}`, `[{"id":]`} {
			d.ok(t, 400, "PUT", locationsPath, body)
		}
		entry := d.ok(t, 200, "PUT", locationsPath, `[{"id":7},{}]`)["data"].([]any)
		if got := fmt.Sprint(entry); strings.Count(got, "FAILED") != 2 || !strings.Contains(got, "MEMBER_INVALID") ||
			!strings.Contains(got, "LOCATION_ID_REQUIRED") {
			t.Errorf("unreadable items: got %v", got)
		}
	})
}

// No user sees or changes what is not theirs, and no caller is served without a
// token that has the scope.
func TestAuthorization(t *testing.T) {
	t.Parallel()
	onBoth(t, nil, func(t *testing.T, d *testServer) {
		project := fmt.Sprintf("%s/%.0f", projects, d.data(t, "POST", projects, `{"url":"mine.example"}`)["project_id"])
		location := locationsPath + "/" + d.add(t, "Bakery", &ranking.Coordinates{Lat: 52.5, Lng: 13.4})
		campaign := campaigns + "/" + d.data(
			t, "POST", campaigns, `{"placeId":"`+strings.TrimPrefix(location, locationsPath+"/")+`","keywords":["bakery"]}`,
		)["id"].(string)
		narrow := d.Token("kim", "siteaudit.info")
		other := d.as("zoe")
		for _, c := range []struct {
			method, path, body string
			status             int
		}{
			{"GET", project, "", 404},
			{"DELETE", project, "", 404},
			{
				"PUT", projects, `{"project_id":` + strings.TrimPrefix(project, projects+"/") + `,"project_name":"x"}`,
				404,
			},
			{"GET", location, "", 404},
			{"PUT", location, full(""), 404},
			{"GET", campaign, "", 404},
			{"PATCH", campaign, `{"name":"x"}`, 404},
			{"DELETE", campaign, "", 404},
			{"PUT", campaign + "/collect", "", 404},
			{"GET", campaign + "/keywords", "", 404},
			{"GET", campaign + "/metrics?keywordId=x", "", 404},
			{"GET", campaign + "/heatmap?keywordId=x&reportDate=2026-01-01T00:00:00Z", "", 404},
			{"GET", campaign + "/top-competitors?keywordId=x&reportDate=2026-01-01T00:00:00Z", "", 404},
		} {
			if got := d.Server.Call(c.method, c.path, c.body).Code; got != 401 {
				t.Errorf("%s %s without a token: got %d, want 401", c.method, c.path, got)
			}
			if got := d.Server.Call(c.method, c.path, c.body, "Authorization: Bearer "+narrow).Code; got != 403 {
				t.Errorf("%s %s without the scope: got %d, want 403", c.method, c.path, got)
			}
			if got := other.call(c.method, c.path, c.body).Code; got != c.status {
				t.Errorf("%s %s of another user: got %d, want %d", c.method, c.path, got, c.status)
			}
		}
		d.data(t, "GET", project, "")
		d.data(t, "GET", location, "")
		d.data(t, "GET", campaign, "")
	})
}

// Limits are those of the contract's reference, for each token alone.
func TestLimits(t *testing.T) {
	t.Parallel()
	onBoth(t, func(c *analytics.Config) {
		*c = analytics.DefaultConfig()
		c.MaxInFlight = 50
	}, func(t *testing.T, d *testServer) {
		location := locationsPath + "/" + d.add(t, "Bakery", nil)
		for _, c := range []struct {
			method, path, body string
			limit              int
			per                time.Duration
		}{
			{"GET", projects, "", 10, time.Second},
			{"GET", location, "", 10, time.Second},
			{"PUT", location, full(""), 5, time.Second},
			{"PUT", locationsPath, `[{"id":"x"}]`, 5, time.Minute},
		} {
			for i := range c.limit {
				if got := d.call(c.method, c.path, c.body).Code; got != 200 {
					t.Fatalf("%s %s, request %d: got %d", c.method, c.path, i+1, got)
				}
			}
			w := d.call(c.method, c.path, c.body)
			if w.Code != 429 || w.Header().Get("Retry-After") == "" {
				t.Errorf("%s %s over the limit: got %d %v", c.method, c.path, w.Code, w.Header())
			}
			d.Clock.Advance(c.per)
			if got := d.call(c.method, c.path, c.body).Code; got != 200 {
				t.Errorf("%s %s after the window: got %d", c.method, c.path, got)
			}
		}
	})
}
