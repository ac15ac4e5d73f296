package conformance_test

import (
	"bytes"
	"fmt"
	"image/png"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/test/conformance"
)

const snapshotPath = "/api/v1/graph/snapshot"

// graphDef is a definition with spaces of its own, to see it come back as sent.
const graphDef = `{"viz": "timeseries", "requests": [{"q": "avg:system.load{*}", "type": "area"}]}`

// TestSnapshots proves E-01 to E-17.
func TestSnapshots(t *testing.T) {
	t.Parallel()
	conformance.On(t, func(t *testing.T, open func(*testing.T, conformance.Options) *conformance.Server) {
		g := openGraphs(t, open, nil)
		g.submit(t)
		t.Run("E-01", g.members)
		t.Run("E-02", func(t *testing.T) {
			a := g.take(t, url.Values{"metric_query": {"avg:system.load{*}"}}).Want(t, http.StatusOK)
			conformance.Text(t, a.Object(t), "snapshot_url")
		})
		t.Run("E-03", g.times)
		t.Run("E-04", func(t *testing.T) {
			a := g.take(t, url.Values{"metric_query": {"sum:system.load{host:a} by {host}"}}).Want(t, http.StatusOK)
			if got := conformance.Text(t, a.Object(t), "metric_query"); got != "sum:system.load{host:a} by {host}" {
				t.Errorf("metric_query: got %q", got)
			}
			g.refused(t, g.take(t, url.Values{"metric_query": {"sum:system.load{"}}), http.StatusBadRequest)
		})
		t.Run("E-05", func(t *testing.T) {
			a := g.take(t, url.Values{"graph_def": {graphDef}}).Want(t, http.StatusOK)
			if got := conformance.Text(t, a.Object(t), "graph_def"); got != graphDef {
				t.Errorf("graph_def: got %q, want it as sent", got)
			}
			g.refused(t, g.take(t, url.Values{"graph_def": {"not JSON"}}), http.StatusBadRequest)
		})
		t.Run("E-06", g.titles)
		t.Run("E-07", g.sizes)
		t.Run("E-08", func(t *testing.T) { regions(t, open) })
		t.Run("E-09", func(t *testing.T) {
			g.refused(t, g.take(t, nil), http.StatusBadRequest)
			g.refused(t, g.take(t, url.Values{"metric_query": {"avg:m{*}"}, "graph_def": {graphDef}}),
				http.StatusBadRequest)
			g.take(t, url.Values{"metric_query": {"avg:m{*}"}, "graph_def": {""}}).Want(t, http.StatusOK)
		})
		t.Run("E-10", g.pictures)
		t.Run("E-11", g.later)
		t.Run("E-12", func(t *testing.T) {
			a := g.take(t, url.Values{"metric_query": {"avg:system.load{*}"}}).Want(t, http.StatusOK)
			if got := a.Header.Get("Content-Type"); !strings.HasPrefix(got, "application/json") {
				t.Errorf("Content-Type: got %q, want JSON", got)
			}
		})
		t.Run("E-13", func(t *testing.T) { g.refused(t, g.with(t, "", g.app), http.StatusForbidden) })
		t.Run("E-14", func(t *testing.T) { g.refused(t, g.with(t, g.api, ""), http.StatusForbidden) })
		t.Run("E-15", func(t *testing.T) {
			g.refused(t, g.take(t, url.Values{"metric_query": {"avg:m{*}"}, "start": {"yesterday"}}),
				http.StatusBadRequest)
		})
		t.Run("E-16", func(t *testing.T) {
			g.refused(t, g.with(t, strings.Repeat("0", 32), g.app), http.StatusForbidden)
			g.refused(t, g.with(t, g.api, strings.Repeat("0", 40)), http.StatusForbidden)
		})
		t.Run("E-17", func(t *testing.T) { budget(t, open) })
	})
}

// graphs is a server and the two keys of one user.
type graphs struct {
	*conformance.Server
	api, app string
}

func openGraphs(
	t *testing.T, open func(*testing.T, conformance.Options) *conformance.Server, configure func(*app.Config),
) *graphs {
	t.Helper()
	g := &graphs{Server: open(t, conformance.Options{Configure: configure})}
	g.User(t, "ella")
	g.api = g.Key(t, "ella", "snapshots")
	made := g.Command(t, "key issue", map[string][]string{
		"user": {"ella"}, "service": {"snapshots"}, "kind": {"application"},
	})
	g.app = fmt.Sprint(made["key"])
	return g
}

func (g *graphs) header(api, application string) http.Header {
	h := http.Header{"Accept": {"application/json"}}
	if api != "" {
		h.Set("SVC-API-KEY", api)
	}
	if application != "" {
		h.Set("SVC-APPLICATION-KEY", application)
	}
	return h
}

// submit stores a point a minute for the last half hour.
func (g *graphs) submit(t *testing.T) {
	t.Helper()
	var points []string
	for i := range int64(30) {
		points = append(points, fmt.Sprintf("[%d,%d]", g.Clock.Now().Unix()-60*i, i%7))
	}
	body := `{"series":[{"metric":"system.load","type":"gauge","host":"a","points":[` + strings.Join(points, ",") +
		`]}]}`
	g.Do(t, conformance.Call{
		Method: http.MethodPost, Path: "/api/v1/series", Header: g.header(g.api, ""), Body: body,
	}).Want(t, http.StatusAccepted)
}

// params are the last hour; more overrides.
func (g *graphs) params(more url.Values) url.Values {
	now := g.Clock.Now().Unix()
	v := url.Values{"start": {strconv.FormatInt(now-3600, 10)}, "end": {strconv.FormatInt(now, 10)}}
	for name, values := range more {
		v[name] = values
	}
	return v
}

func (g *graphs) take(t *testing.T, more url.Values) *conformance.Answer {
	t.Helper()
	return g.Do(t, conformance.Call{Path: snapshotPath + "?" + g.params(more).Encode(), Header: g.header(g.api, g.app)})
}

func (g *graphs) with(t *testing.T, api, application string) *conformance.Answer {
	t.Helper()
	v := g.params(url.Values{"metric_query": {"avg:system.load{*}"}})
	return g.Do(t, conformance.Call{Path: snapshotPath + "?" + v.Encode(), Header: g.header(api, application)})
}

// refused checks the status and {errors: string[]}.
func (g *graphs) refused(t *testing.T, a *conformance.Answer, status int) {
	t.Helper()
	object := a.Want(t, status).Object(t)
	conformance.Only(t, object, "errors")
	list, ok := object["errors"].([]any)
	if !ok || len(list) == 0 {
		t.Fatalf("errors: got %v, want a list of texts", object["errors"])
	}
	for _, e := range list {
		if s, ok := e.(string); !ok || s == "" {
			t.Errorf("errors holds %v, want texts", e)
		}
	}
}

// view is the path of the picture that an answer names.
func (g *graphs) view(t *testing.T, a *conformance.Answer) string {
	t.Helper()
	address := conformance.Text(t, a.Want(t, http.StatusOK).Object(t), "snapshot_url")
	path, ok := strings.CutPrefix(address, g.URL)
	if !ok {
		t.Fatalf("snapshot_url %q is not on this server", address)
	}
	return path
}

// fetch polls the address until the picture is there.
func (g *graphs) fetch(t *testing.T, path string) *conformance.Answer {
	t.Helper()
	for began := time.Now(); time.Since(began) < 30*time.Second; {
		a := g.Do(t, conformance.Call{Path: path}).Want(t, http.StatusOK, http.StatusAccepted)
		if a.Status == http.StatusOK {
			return a
		}
		if a.Header.Get("Retry-After") == "" {
			t.Errorf("%v has no Retry-After", a)
		}
	}
	t.Fatalf("%s is not ready after 30 seconds", path)
	return nil
}

func (g *graphs) members(t *testing.T) {
	a := g.take(t, url.Values{"metric_query": {"avg:system.load{*}"}}).Want(t, http.StatusOK).Object(t)
	conformance.Only(t, a, "graph_def", "metric_query", "snapshot_url")
	if def := conformance.Text(t, a, "graph_def"); strings.ContainsAny(def, "\r\n") ||
		!strings.Contains(def, "avg:system.load{*}") {
		t.Errorf("graph_def: got %q, want the query on a single line", def)
	}
	if got := conformance.Text(t, a, "metric_query"); got != "avg:system.load{*}" {
		t.Errorf("metric_query: got %q", got)
	}
	form := regexp.MustCompile(`^http://[^/]+/snapshot/view/[a-z]+/org_[0-9]+/` +
		conformance.Began().Format(time.DateOnly) + `/[0-9a-f]{40}\.png$`)
	if got := conformance.Text(t, a, "snapshot_url"); !form.MatchString(got) {
		t.Errorf("snapshot_url: got %q, want %s", got, form)
	}
	conformance.Only(t, g.take(t, url.Values{"graph_def": {graphDef}}).Want(t, http.StatusOK).Object(t), "graph_def",
		"snapshot_url")
}

func (g *graphs) times(t *testing.T) {
	for _, name := range []string{"start", "end"} {
		for _, value := range []string{"", "now", "12.5", "1e9", " 5", "0x10", "99999999999999999999"} {
			g.refused(t, g.take(t, url.Values{"metric_query": {"avg:m{*}"}, name: {value}}), http.StatusBadRequest)
		}
		v := g.params(url.Values{"metric_query": {"avg:m{*}"}})
		v.Del(name)
		g.refused(t, g.Do(t, conformance.Call{Path: snapshotPath + "?" + v.Encode(), Header: g.header(g.api, g.app)}),
			http.StatusBadRequest)
	}
	g.refused(t, g.take(t, url.Values{"metric_query": {"avg:m{*}"}, "start": {"20"}, "end": {"10"}}),
		http.StatusBadRequest)
}

// titles compares the pictures: a title changes only the strip at the top.
func (g *graphs) titles(t *testing.T) {
	query := url.Values{"metric_query": {"avg:system.load{*}"}}
	plain := g.fetch(t, g.view(t, g.take(t, query)))
	empty := g.fetch(t, g.view(t, g.take(t, url.Values{"metric_query": query["metric_query"], "title": {""}})))
	titled := g.fetch(t, g.view(t, g.take(t, url.Values{
		"metric_query": query["metric_query"], "title": {"Load of the servers"},
	})))
	if !bytes.Equal(plain.Body, empty.Body) {
		t.Error("an empty title is drawn differently from none")
	}
	if bytes.Equal(plain.Body, titled.Body) {
		t.Error("the title is not drawn")
	}
}

func (g *graphs) sizes(t *testing.T) {
	for _, tc := range []struct{ width, height, wantW, wantH string }{
		{"", "", "600", "400"}, {"300", "185", "300", "185"}, {"900", "", "900", "400"}, {"", "150", "600", "150"},
		{"100", "100", "100", "100"},
	} {
		v := url.Values{"metric_query": {"avg:system.load{*}"}}
		if tc.width != "" {
			v.Set("width", tc.width)
		}
		if tc.height != "" {
			v.Set("height", tc.height)
		}
		c, err := png.DecodeConfig(bytes.NewReader(g.fetch(t, g.view(t, g.take(t, v))).Body))
		if err != nil {
			t.Fatal(err)
		}
		if got := strconv.Itoa(c.Width) + "x" + strconv.Itoa(c.Height); got != tc.wantW+"x"+tc.wantH {
			t.Errorf("width %q, height %q: got %s, want %sx%s", tc.width, tc.height, got, tc.wantW, tc.wantH)
		}
	}
	for _, side := range []string{"99", "10001", "0", "-5", "wide", "1.5"} {
		g.refused(t, g.take(t, url.Values{"metric_query": {"avg:m{*}"}, "width": {side}}), http.StatusBadRequest)
		g.refused(t, g.take(t, url.Values{"metric_query": {"avg:m{*}"}, "height": {side}}), http.StatusBadRequest)
	}
}

func (g *graphs) pictures(t *testing.T) {
	a := g.fetch(t, g.view(t, g.take(t, url.Values{"graph_def": {graphDef}})))
	if !bytes.HasPrefix(a.Body, []byte("\x89PNG\r\n\x1a\n")) || a.Header.Get("Content-Type") != "image/png" {
		t.Errorf("got %q of type %q, want a PNG", a.Body[:min(len(a.Body), 8)], a.Header.Get("Content-Type"))
	}
	if _, err := png.Decode(bytes.NewReader(a.Body)); err != nil {
		t.Errorf("the picture cannot be read: %v", err)
	}
}

// later sees the address before the picture, and the status turn to 200.
func (g *graphs) later(t *testing.T) {
	path := g.view(t, g.take(t, url.Values{"metric_query": {"avg:system.load{*}"}}))
	g.fetch(t, path)
	status := "/api/v1/graph/snapshot_status/" + strings.TrimSuffix(strings.TrimPrefix(path, "/snapshot/view/"), ".png")
	a := g.Do(t, conformance.Call{Path: status, Header: g.header(g.api, g.app)}).Want(t, http.StatusOK).Object(t)
	if got := conformance.Integer(t, a, "status_code"); got != http.StatusOK {
		t.Errorf("status_code: got %d, want 200", got)
	}
	g.Do(t, conformance.Call{Path: strings.Replace(path, ".png", "0.png", 1)}).Want(t, http.StatusNotFound)
}

// regions asks all seven bases for the same thing.
func regions(t *testing.T, open func(*testing.T, conformance.Options) *conformance.Server) {
	var bases []string
	for i := range 7 {
		bases = append(bases, fmt.Sprintf("http://region%d.metrics.example", i+1))
	}
	g := openGraphs(t, open, func(c *app.Config) { c.Snapshots.Bases = bases })
	for _, base := range bases {
		v := g.params(url.Values{"metric_query": {"avg:system.load{*}"}})
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, g.URL+snapshotPath+"?"+v.Encode(), nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = strings.TrimPrefix(base, "http://")
		r.Header = g.header(g.api, g.app)
		response, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil || response.StatusCode != http.StatusOK ||
			!strings.Contains(string(body), `"snapshot_url":"`+base+`/snapshot/view/`) {
			t.Errorf("%s: got %d %s, want 200 and an address of the region", base, response.StatusCode, body)
		}
	}
}

// budget uses up a small budget.
func budget(t *testing.T, open func(*testing.T, conformance.Options) *conformance.Server) {
	g := openGraphs(t, open, func(c *app.Config) { c.Snapshots.SnapshotsPerHour = 3 })
	for range 3 {
		g.with(t, g.api, g.app).Want(t, http.StatusOK)
	}
	a := g.with(t, g.api, g.app)
	g.refused(t, a, http.StatusTooManyRequests)
	if a.Header.Get("X-RateLimit-Remaining") != "0" || a.Header.Get("X-RateLimit-Limit") != "3" ||
		a.Header.Get("X-RateLimit-Reset") == "" {
		t.Errorf("headers of the refusal: %v", a.Header)
	}
	g.Clock.Advance(time.Hour)
	g.with(t, g.api, g.app).Want(t, http.StatusOK)
}
