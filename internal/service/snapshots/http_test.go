package snapshots_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/snapshots"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func build(c snapshots.Config) identitytest.Build {
	return func(w *world.World, identity *identity.Identity) module.Module {
		return snapshots.New(w, identity, c).Module()
	}
}

// client is a server and the keys of one user.
type client struct {
	*identitytest.Server
	t        *testing.T
	api, app string
}

func newClient(t *testing.T, h *identitytest.Server, user string) *client {
	t.Helper()
	return &client{
		Server: h, t: t, api: h.Key(user, identity.KindAPI, 7), app: h.Key(user, identity.KindApplication, 7),
	}
}

// get sends both keys.
func (c *client) get(path string, q url.Values) *httptest.ResponseRecorder {
	return c.Call("GET", path+"?"+q.Encode(), "", "SVC-API-KEY: "+c.api, "SVC-APPLICATION-KEY: "+c.app)
}

func (c *client) post(path, body string, headers ...string) *httptest.ResponseRecorder {
	return c.Call("POST", path, body,
		append([]string{"SVC-API-KEY: " + c.api, "Content-Type: application/json"}, headers...)...)
}

// want fails unless the status is as expected.
func (c *client) want(w *httptest.ResponseRecorder, status int) *httptest.ResponseRecorder {
	c.t.Helper()
	if w.Code != status {
		c.t.Fatalf("status = %d, want %d: %s", w.Code, status, w.Body)
	}
	return w
}

// submit stores one value a minute for the last half hour on two hosts.
func (c *client) submit(metric string) {
	c.t.Helper()
	now := c.Clock.Now().Unix()
	var series []string
	for host := range 2 {
		var points []string
		for i := range int64(30) {
			points = append(points, fmt.Sprintf("[%d,%d]", now-i*60, 10*(host+1)))
		}
		series = append(series, fmt.Sprintf(
			`{"metric":%q,"type":"gauge","host":"web-%d","tags":["env:prod"],"points":[%s]}`, metric, host,
			strings.Join(points, ","),
		))
	}
	c.want(c.post("/api/v1/series", `{"series":[`+strings.Join(series, ",")+`]}`), 202)
}

// params are the required parameters of a snapshot of the last hour.
func (c *client) params(more ...string) url.Values {
	now := c.Clock.Now().Unix()
	v := url.Values{"start": {fmt.Sprint(now - 3600)}, "end": {fmt.Sprint(now)}}
	for i := 0; i < len(more); i += 2 {
		v.Set(more[i], more[i+1])
	}
	return v
}

func (c *client) object(w *httptest.ResponseRecorder) map[string]any {
	c.t.Helper()
	var out map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
		c.t.Fatalf("%v in %s", err, w.Body)
	}
	return out
}

// take asks for a snapshot and returns the path of its picture.
func (c *client) take(more ...string) string {
	c.t.Helper()
	out := c.object(c.want(c.get("/api/v1/graph/snapshot", c.params(more...)), 200))
	u, err := url.Parse(fmt.Sprint(out["snapshot_url"]))
	if err != nil {
		c.t.Fatal(err)
	}
	return u.Path
}

// settle runs all jobs that are due.
func (c *client) settle() {
	c.t.Helper()
	if err := c.World.Jobs.Settle(c.t.Context()); err != nil {
		c.t.Fatal(err)
	}
}

// size decodes the picture at path.
func (c *client) size(path string) (w, h int) {
	c.t.Helper()
	img, err := png.Decode(bytes.NewReader(c.want(c.Call("GET", path, ""), 200).Body.Bytes()))
	if err != nil {
		c.t.Fatal(err)
	}
	return img.Bounds().Dx(), img.Bounds().Dy()
}

func TestSnapshot(t *testing.T) {
	t.Parallel()
	identitytest.Run(t, build(snapshots.DefaultConfig()), func(t *testing.T, h *identitytest.Server) {
		c := newClient(t, h, "ada")
		c.submit("cpu")
		path := c.take("metric_query", "avg:cpu{*} by {host}", "title", "CPU", "width", "400", "height", "200")

		status := "/api/v1/graph/snapshot_status/" + strings.TrimSuffix(strings.TrimPrefix(path, "/snapshot/view/"),
			".png")
		if got := c.object(c.want(c.get(status, nil), 200))["status_code"]; got != 202.0 {
			t.Errorf("status before = %v, want 202", got)
		}
		w := c.want(c.Call("GET", path, ""), 202)
		if w.Header().Get("Retry-After") != "1" || strings.TrimSpace(w.Body.String()) != `{"status":"pending"}` {
			t.Errorf("pending = %v %s", w.Header(), w.Body)
		}
		w = c.want(c.Call("GET", path, "", "Accept: text/html"), 202)
		if !strings.Contains(w.Body.String(), `http-equiv="refresh"`) {
			t.Errorf("a browser got %s, want a page that reloads", w.Body)
		}

		c.settle()
		if got := c.object(c.want(c.get(status, nil), 200))["status_code"]; got != 200.0 {
			t.Errorf("status after = %v, want 200", got)
		}
		if gw, gh := c.size(path); gw != 400 || gh != 200 {
			t.Errorf("picture is %d by %d, want 400 by 200", gw, gh)
		}
		etag := c.Call("GET", path, "").Header().Get("ETag")
		c.want(c.Call("GET", path, "", "If-None-Match: "+etag), 304)

		// The same request gives another address and the same bytes.
		again := c.take("metric_query", "avg:cpu{*} by {host}", "title", "CPU", "width", "400", "height", "200")
		c.settle()
		if again == path || c.Call("GET", again, "").Header().Get("ETag") != etag {
			t.Errorf("second picture %s has another hash than %s", again, path)
		}

		// The address is all that protects a picture.
		if log := h.Log.String(); strings.Contains(log, path[len(path)-44:len(path)-4]) {
			t.Error("the log shows the address of a picture")
		}
		h.Clock.Advance(91 * 24 * time.Hour)
		c.want(c.Call("GET", path, ""), 404)
	})
}

// Many callers at once each get a snapshot of their own, and all are drawn.
func TestConcurrentSnapshots(t *testing.T) {
	t.Parallel()
	identitytest.Run(t, build(snapshots.DefaultConfig()), func(t *testing.T, h *identitytest.Server) {
		c := newClient(t, h, "ada")
		const callers = 100
		paths := make([]string, callers)
		var group sync.WaitGroup
		for i := range callers {
			group.Go(func() {
				w := c.get("/api/v1/graph/snapshot", c.params("metric_query", fmt.Sprintf("avg:m%d{*}", i%5)))
				var out struct {
					URL string `json:"snapshot_url"`
				}
				if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil || w.Code != 200 {
					t.Errorf("%d %s: %v", w.Code, w.Body, err)
				}
				paths[i] = strings.TrimPrefix(out.URL, h.World.URL(t.Context()))
			})
		}
		group.Wait()
		c.settle()
		seen := map[string]bool{}
		for _, path := range paths {
			c.want(c.Call("GET", path, ""), 200)
			seen[path] = true
		}
		if len(seen) != callers {
			t.Errorf("%d different addresses, want %d", len(seen), callers)
		}
	})
}

func TestSnapshotAnswer(t *testing.T) {
	t.Parallel()
	h := identitytest.SQLite(t, build(snapshots.DefaultConfig()))
	c := newClient(t, h, "ada")
	def := `{ "viz":"toplist",  "requests":[{"q":"avg:cpu{*} by {host}"}] }`
	for name, row := range map[string]struct {
		params []string
		want   map[string]string // "-" means absent
	}{
		"metric_query": {
			[]string{"metric_query", "avg:cpu{*}"},
			map[string]string{
				"graph_def": `{"requests":[{"q":"avg:cpu{*}"}]}`, "metric_query": "avg:cpu{*}", "event_query": "-",
			},
		},
		"event_query": {
			[]string{"metric_query", "avg:cpu{*}", "event_query", "tags:deploy"},
			map[string]string{"event_query": "tags:deploy", "metric_query": "avg:cpu{*}"},
		},
		"graph_def": {
			[]string{"graph_def", def}, map[string]string{"graph_def": def, "metric_query": "-", "event_query": "-"},
		},
		"encoded twice": {[]string{"graph_def", url.QueryEscape(def)}, map[string]string{"graph_def": def}},
	} {
		t.Run(name, func(t *testing.T) {
			got := c.object(c.want(c.get("/api/v1/graph/snapshot", c.params(row.params...)), 200))
			for member, want := range row.want {
				v, ok := got[member]
				if want == "-" && ok || want != "-" && v != want {
					t.Errorf("%s = %v, want %v", member, v, want)
				}
			}
			if s, _ := got["snapshot_url"].(string); !strings.Contains(s, "/snapshot/view/main/org_") {
				t.Errorf("snapshot_url = %q", s)
			}
		})
	}
}

func TestSnapshotRefusals(t *testing.T) {
	t.Parallel()
	h := identitytest.SQLite(t, build(snapshots.DefaultConfig()))
	c := newClient(t, h, "ada")
	deep := strings.Repeat(`{"a":`, 200) + "1" + strings.Repeat("}", 200)
	for name, row := range map[string]struct {
		params []string
		want   string
	}{
		"neither": {nil, "exactly one"},
		"both": {
			[]string{"metric_query", "m{*}", "graph_def", `{"requests":[{"q":"m{*}"}]}`}, "exactly one",
		},
		"no start":       {[]string{"metric_query", "m{*}", "start", ""}, "start is required"},
		"text for start": {[]string{"metric_query", "m{*}", "start", "now"}, "start must be an integer"},
		"text for end":   {[]string{"metric_query", "m{*}", "end", "1e9"}, "end must be an integer"},
		"huge start": {
			[]string{"metric_query", "m{*}", "start", "99999999999999999999"}, "start must be an integer",
		},
		"far start":             {[]string{"metric_query", "m{*}", "start", "999999999999999"}, "POSIX"},
		"start after end":       {[]string{"metric_query", "m{*}", "end", "5"}, "must be before end"},
		"bad query":             {[]string{"metric_query", "avg:m{"}, "line 1, column 6"},
		"unknown function":      {[]string{"metric_query", "frob(m{*})"}, "unknown function frob at line 1, column 1"},
		"narrow":                {[]string{"metric_query", "m{*}", "width", "99"}, "width must be 100 to 10000"},
		"wide":                  {[]string{"metric_query", "m{*}", "width", "100000"}, "width must be 100 to 10000"},
		"negative height":       {[]string{"metric_query", "m{*}", "height", "-3"}, "height must be"},
		"text for height":       {[]string{"metric_query", "m{*}", "height", "tall"}, "height must be an integer"},
		"scale":                 {[]string{"metric_query", "m{*}", "scale", "50"}, "scale must be"},
		"wide and sharp":        {[]string{"metric_query", "m{*}", "width", "5000", "scale", "2.5"}, "must not exceed"},
		"scale is not a number": {[]string{"metric_query", "m{*}", "scale", "NaN"}, "scale must be"},
		"theme":                 {[]string{"metric_query", "m{*}", "theme", "pink"}, "theme is"},
		"zone":                  {[]string{"metric_query", "m{*}", "tz", "Mars/North"}, "tz"},
		"long title": {
			[]string{"metric_query", "m{*}", "title", strings.Repeat("x", 2000)}, "title is longer",
		},
		"not JSON":         {[]string{"graph_def", "requests"}, "graph_def is not a graph definition"},
		"no requests":      {[]string{"graph_def", `{"viz":"timeseries"}`}, "requests must be"},
		"empty request":    {[]string{"graph_def", `{"requests":[{}]}`}, "needs q"},
		"unknown viz":      {[]string{"graph_def", `{"viz":"pie","requests":[{"q":"m{*}"}]}`}, `viz \"pie\"`},
		"unknown type":     {[]string{"graph_def", `{"requests":[{"q":"m{*}","type":"dots"}]}`}, "none of line"},
		"bad query inside": {[]string{"graph_def", `{"requests":[{"q":"m{*}"},{"q":"m{*"}]}`}, "requests[1]"},
		"bad scale": {
			[]string{"graph_def", `{"requests":[{"q":"m{*}"}],"yaxis":{"scale":"cube"}}`}, "scale",
		},
		"bad marker": {
			[]string{"graph_def", `{"requests":[{"q":"m{*}"}],"markers":[{"value":"x = 3"}]}`}, "marker",
		},
		"infinite axis": {
			[]string{"graph_def", `{"requests":[{"q":"m{*}"}],"yaxis":{"max":"Inf"}}`}, "not a number",
		},
		"inverted axis": {
			[]string{"graph_def", `{"requests":[{"q":"m{*}"}],"yaxis":{"min":5,"max":1}}`}, "below",
		},
		"deep":              {[]string{"graph_def", deep}, "graph_def"},
		"wrong member type": {[]string{"graph_def", `{"requests":{"q":"m{*}"}}`}, "graph_def"},
		"many requests": {
			[]string{"graph_def", `{"requests":[` + strings.Repeat(`{"q":"m{*}"},`, 60) + `{"q":"m{*}"}]}`},
			"at most 50",
		},
		"nothing after promql": {[]string{"metric_query", "promql: "}, "nothing follows"},
	} {
		t.Run(name, func(t *testing.T) {
			w := c.want(c.get("/api/v1/graph/snapshot", c.params(row.params...)), 400)
			out := c.object(w)
			list, _ := out["errors"].([]any)
			if len(out) != 1 || len(list) != 1 || !strings.Contains(w.Body.String(), row.want) {
				t.Errorf("body = %s, want only errors, with %q", w.Body, row.want)
			}
		})
	}
	t.Run("a body of ten megabytes", func(t *testing.T) {
		body := `{"start":1,"end":2,"graph_def":"` + strings.Repeat("x", 10<<20) + `"}`
		c.want(c.post("/api/v1/graph/snapshot", body, "SVC-APPLICATION-KEY: "+c.app), 400)
	})
}
