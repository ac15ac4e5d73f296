package snapshots_test

import (
	"bytes"
	"fmt"
	"image/png"
	"net/url"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/draw"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route/routetest"
	"stoa.dev/stoa/internal/service/snapshots"
)

// Every kind of definition becomes a picture of the asked size, and pictures of
// different definitions differ.
func TestKindsAreDrawn(t *testing.T) {
	t.Parallel()
	h := identitytest.SQLite(t, build(snapshots.DefaultConfig()))
	c := newClient(t, h, "ada")
	if err := h.Module.Demo(t.Context(), &module.Demo{User: "ada"}); err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for name, params := range map[string][]string{
		"line":     {"metric_query", "avg:system.cpu.user{*} by {host}"},
		"no data":  {"metric_query", "avg:no.such{*}"},
		"title":    {"metric_query", "avg:system.cpu.user{*} by {host}", "title", "CPU"},
		"dark":     {"metric_query", "avg:system.cpu.user{*} by {host}", "theme", "dark"},
		"expanded": {"metric_query", "avg:system.cpu.user{*} by {host}", "legend", "expanded"},
		"zone":     {"metric_query", "avg:system.cpu.user{*} by {host}", "tz", "Asia/Tokyo"},
		"promql":   {"metric_query", `promql:avg by (zone) ({"system.mem.used"})`},
		"area": {
			"graph_def", `{"requests":[{"q":"sum:http.requests{*} by {service}.as_rate()","type":"area"}]}`,
		},
		"bars": {
			"graph_def",
			`{"requests":[{"q":"sum:http.requests{*} by {service}.as_count()","type":"bars",` +
				`"style":{"palette":"warm"}}]}`,
		},
		"dashed": {
			"graph_def",
			`{"requests":[{"q":"avg:system.cpu.user{*}","style":{"line_type":"dashed","line_width":"thick"}}],` +
				`"markers":[{"value":"y = 15","label":"l","display_type":"error dashed"}]}`,
		},
		"log": {"graph_def", `{"requests":[{"q":"avg:system.mem.used{*}"}],"yaxis":{"scale":"log"}}`},
		"formula": {
			"graph_def",
			`{"type":"timeseries","requests":[{"queries":[{"name":"a","data_source":"metrics",` +
				`"query":"avg:system.cpu.user{*}"}],"formulas":[{"formula":"a * 2","alias":"double"}]}]}`,
		},
		"toplist": {"graph_def", `{"viz":"toplist","requests":[{"q":"sum:http.requests{*} by {service}"}]}`},
		"query value": {
			"graph_def",
			`{"viz":"query_value","requests":[{"q":"avg:system.cpu.user{*}","aggregator":"last",` +
				`"conditional_formats":[{"comparator":">","value":1,"palette":"white_on_green"}]}],"precision":1}`,
		},
		"heatmap":      {"graph_def", `{"viz":"heatmap","requests":[{"q":"avg:http.request.duration{*}"}]}`},
		"heatmap host": {"graph_def", `{"viz":"heatmap","requests":[{"q":"avg:system.cpu.user{*} by {host}"}]}`},
		"distribution": {"graph_def", `{"viz":"distribution","requests":[{"q":"avg:http.request.duration{*}"}]}`},
		"change": {
			"graph_def",
			`{"viz":"change","requests":[{"q":"avg:system.cpu.user{*} by {host}","compare_to":"hour_before"}]}`,
		},
	} {
		path := c.take(append(params, "width", "320", "height", "200", "scale", "1.5")...)
		c.settle()
		if w, height := c.size(path); w != 480 || height != 300 {
			t.Errorf("%s: %d by %d pixels, want 480 by 300", name, w, height)
		}
		etag := c.Call("GET", path, "").Header().Get("ETag")
		if other, ok := seen[etag]; ok {
			t.Errorf("%s looks exactly like %s", name, other)
		}
		seen[etag] = name
	}
}

// Hosts that are like each other are one gray, so that an outlier would stand out.
func TestSeriesLikeTheOthersAreGray(t *testing.T) {
	t.Parallel()
	h := identitytest.SQLite(t, build(snapshots.DefaultConfig()))
	c := newClient(t, h, "ada")
	if err := h.Module.Demo(t.Context(), &module.Demo{User: "ada"}); err != nil {
		t.Fatal(err)
	}
	path := c.take("metric_query", "outliers(avg:system.cpu.user{*} by {host}, 'MAD', 3)", "scale", "2")
	c.settle()
	img, err := png.Decode(c.want(c.Call("GET", path, ""), 200).Body)
	if err != nil {
		t.Fatal(err)
	}
	gray, pixels := draw.Light().Background.Mix(draw.Light().Neutral, 150), 0
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			if r, g, b, _ := img.At(x, y).RGBA(); draw.RGB(r>>8<<16|g>>8<<8|b>>8) == gray {
				pixels++
			}
		}
	}
	// Four lines across the picture, each at least a pixel high.
	if want := 2 * img.Bounds().Dx(); pixels < want {
		t.Errorf("%d pixels have the gray of what is like the others, want at least %d", pixels, want)
	}
}

// A picture is drawn again when its owner stored something, and only then.
func TestDrawnAgain(t *testing.T) {
	t.Parallel()
	h := identitytest.SQLite(t, build(snapshots.DefaultConfig()))
	c := newClient(t, h, "ada")
	etag := func() string {
		path := c.take("metric_query", "avg:cpu{*} by {host}", "event_query", "deploy")
		c.settle()
		return c.want(c.Call("GET", path, ""), 200).Header().Get("ETag")
	}
	empty := etag()
	if again := etag(); again != empty {
		t.Errorf("the same data gave %s, then %s", empty, again)
	}
	c.submit("cpu")
	drawn := etag()
	if drawn == empty {
		t.Error("new points are not drawn")
	}
	now := c.Clock.Now().Unix()
	c.want(c.post("/api/v1/events", fmt.Sprintf(`{"title":"deploy","date_happened":%d}`, now-600)), 202)
	if etag() == drawn {
		t.Error("a new event is not drawn")
	}
}

// A picture that cannot be drawn says why, and is not tried for ever.
func TestFailedSnapshot(t *testing.T) {
	t.Parallel()
	config := snapshots.DefaultConfig()
	config.MaxSeries = 1
	h := identitytest.SQLite(t, build(config))
	c := newClient(t, h, "ada")
	c.submit("cpu")
	path := c.take("metric_query", "avg:cpu{*} by {host}")
	c.settle()
	w := c.want(c.Call("GET", path, ""), 422)
	if !strings.Contains(w.Body.String(), "matches more than 1 series") {
		t.Errorf("body = %s, want the reason", w.Body)
	}
	now := c.Clock.Now().Unix()
	v := url.Values{"from": {fmt.Sprint(now - 600)}, "to": {fmt.Sprint(now)}, "query": {"avg:cpu{*}"}}
	c.want(c.get("/api/v1/query", v), 400)
}

func TestRegions(t *testing.T) {
	t.Parallel()
	config := snapshots.DefaultConfig()
	config.Bases = []string{"https://eu.example", "https://us.example:8443"}
	h := identitytest.SQLite(t, build(config))
	c := newClient(t, h, "ada")
	for host, want := range map[string]string{
		"eu.example": "https://eu.example/snapshot/", "us.example:8443": "https://us.example:8443/snapshot/",
	} {
		w := c.Call("GET", "http://"+host+"/api/v1/graph/snapshot?"+c.params("metric_query", "m{*}").Encode(), "",
			"SVC-API-KEY: "+c.api, "SVC-APPLICATION-KEY: "+c.app)
		if got := fmt.Sprint(c.object(c.want(w, 200))["snapshot_url"]); !strings.HasPrefix(got, want) {
			t.Errorf("at %s: %s, want %s…", host, got, want)
		}
	}
}

// Every route answers one call well and refuses another.
func TestRouteCoverage(t *testing.T) {
	t.Parallel()
	h := identitytest.SQLite(t, build(snapshots.DefaultConfig()))
	c := newClient(t, h, "ada")
	now := c.Clock.Now().Unix()
	c.submit("m")
	path := c.take("metric_query", "m{*}")
	c.settle()
	event := c.object(c.want(c.post("/api/v1/events", `{"title":"x"}`), 202))
	id, _ := event["event"].(map[string]any)
	keys := map[string]string{"SVC-API-KEY": c.api, "SVC-APPLICATION-KEY": c.app, "Content-Type": "application/json"}
	series := fmt.Sprintf(`{"series":[{"metric":"m","points":[[%d,1]]}]}`, now)
	var all []routetest.Scenario
	for _, s := range []routetest.Scenario{
		{Name: "snapshot", URL: "/api/v1/graph/snapshot?" + c.params("metric_query", "m{*}").Encode(), Status: 200},
		{
			Name: "snapshot by post", Method: "POST", URL: "/api/v1/graph/snapshot",
			Body: fmt.Sprintf(`{"metric_query":"m{*}","start":%d,"end":%d}`, now-60, now), Status: 200,
		},
		{
			Name: "snapshot with an object", Method: "POST", URL: "/api/v1/graph/snapshot",
			Body: fmt.Sprintf(`{"graph_def":{"requests":[{"q":"m{*}"}]},"start":%d,"end":%d,"width":200}`, now-60,
				now),
			Status: 200,
		},
		{
			Name: "status",
			URL: "/api/v1/graph/snapshot_status/" + strings.TrimSuffix(strings.TrimPrefix(path, "/snapshot/view/"),
				".png"),
			Status: 200,
		},
		{Name: "validate", URL: "/api/v1/validate", Status: 200},
		{Name: "series", Method: "POST", URL: "/api/v1/series", Body: series, Status: 202},
		{
			Name: "series v2", Method: "POST", URL: "/api/v2/series",
			Body: fmt.Sprintf(`{"series":[{"metric":"m","points":[{"timestamp":%d,"value":1}]}]}`, now), Status: 202,
		},
		{
			Name: "distributions", Method: "POST", URL: "/api/v1/distribution_points",
			Body: fmt.Sprintf(`{"series":[{"metric":"d","points":[[%d,[1]]]}]}`, now), Status: 202,
		},
		{Name: "checks", Method: "POST", URL: "/api/v1/check_run", Body: `[{"check":"c","status":0}]`, Status: 202},
		{Name: "remote write", Method: "POST", URL: "/api/v1/write", Body: "\x00", Status: 204},
		{Name: "otlp", Method: "POST", URL: "/v1/metrics", Body: "{}", Status: 200},
		{Name: "otlp long", Method: "POST", URL: "/api/v1/otlp/v1/metrics", Body: "{}", Status: 200},
		{Name: "event", Method: "POST", URL: "/api/v1/events", Body: `{"title":"y"}`, Status: 202},
		{Name: "events", URL: "/api/v1/events?start=1&end=2", Status: 200},
		{Name: "one event", URL: "/api/v1/events/" + fmt.Sprint(id["id_str"]), Status: 200},
		{Name: "query", URL: "/api/v1/query?from=1&to=2&query=m%7B*%7D", Status: 200},
		{Name: "metrics", URL: "/api/v1/metrics?from=1", Status: 200},
		{Name: "metadata", URL: "/api/v1/metrics/m", Status: 200},
		{Name: "edit metadata", Method: "PUT", URL: "/api/v1/metrics/m", Body: `{"unit":"byte"}`, Status: 200},
		{
			Name: "timeseries", Method: "POST", URL: "/api/v2/query/timeseries", Body: fmt.Sprintf(`{"data":{"attributes":`+
				`{"from":%d,"to":%d,"queries":[{"data_source":"metrics","query":"m{*}","name":"a"}]}}}`, now*1000-60000,
				now*1000), Status: 200,
		},
		{
			Name: "scalar", Method: "POST", URL: "/api/v2/query/scalar", Body: fmt.Sprintf(`{"data":{"attributes":`+
				`{"from":%d,"to":%d,"queries":[{"data_source":"metrics","query":"m{*}","name":"a"}]}}}`, now*1000-60000,
				now*1000), Status: 200,
		},
		{Name: "search", URL: "/api/v1/search?q=metrics:m", Status: 200},
	} {
		s.Header = keys
		refused := s
		refused.Name, refused.Header, refused.Status = s.Name+" without keys", map[string]string{
			"Content-Type": "application/json",
		}, 403
		all = append(all, s, refused)
	}
	all = append(all,
		routetest.Scenario{Name: "picture", URL: path, Status: 200},
		routetest.Scenario{Name: "no picture", URL: "/snapshot/view/none.png", Status: 404},
	)
	recorded := routetest.Record(h.Module.Handler, h.Module.Routes)
	routetest.Run(t, recorded, all)
	routetest.Coverage(t, h.Module.Routes, recorded)
}

// TestKnownPictureIsThereAtOnce asks for a picture that was drawn from the same
// data before: nothing is left to wait for. New points change that.
func TestKnownPictureIsThereAtOnce(t *testing.T) {
	t.Parallel()
	h := identitytest.SQLite(t, build(snapshots.DefaultConfig()))
	c := newClient(t, h, "ada")
	c.submit("system.load")
	first := c.take("metric_query", "avg:system.load{*}")
	c.want(h.Call("GET", first, ""), 202)
	c.settle()
	picture := c.want(h.Call("GET", first, ""), 200).Body.Bytes()

	again := c.take("metric_query", "avg:system.load{*}")
	if again == first {
		t.Errorf("both snapshots have the address %s", first)
	}
	if got := c.want(h.Call("GET", again, ""), 200).Body.Bytes(); !bytes.Equal(got, picture) {
		t.Errorf("the picture has %d other bytes, want the %d of the first", len(got), len(picture))
	}

	c.submit("system.load")
	c.want(h.Call("GET", c.take("metric_query", "avg:system.load{*}"), ""), 202)
}
