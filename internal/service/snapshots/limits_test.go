package snapshots_test

import (
	"bytes"
	"fmt"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"google.golang.org/protobuf/encoding/protowire"

	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/service/snapshots"
)

const mebibyte = 1 << 20

// allocated is how many bytes the process allocates while f runs. Tests that use
// it are not parallel.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// measured fails when a request takes more than most bytes or is not refused.
func (c *client) measured(t *testing.T, limit uint64, send func() *httptest.ResponseRecorder, want ...int) {
	t.Helper()
	var w *httptest.ResponseRecorder
	got := allocated(func() { w = send() })
	ok := false
	for _, status := range want {
		ok = ok || w.Code == status
	}
	if !ok {
		t.Errorf("status = %d, want one of %v: %.300s", w.Code, want, w.Body)
	}
	if got > limit {
		t.Errorf("%d MiB were allocated, want at most %d", got/mebibyte, limit/mebibyte)
	}
	if w.Body.Len() > 4096 {
		t.Errorf("the refusal has %d bytes", w.Body.Len())
	}
}

// One small PromQL text ended the process, and as a snapshot again after each
// restart: it is refused on every way to the engine, before anything is stored.
func TestPromQLIsRefusedEverywhere(t *testing.T) {
	h := identitytest.SQLite(t, build(snapshots.DefaultConfig()))
	c := newClient(t, h, "ada")
	now := c.Clock.Now().Unix()
	for _, text := range []string{
		`count_over_time(x[100y:1ms])`, `count_over_time(x[100y:1s])`, `max_over_time(max_over_time(x[1y:1s])[1y:1s])`,
		`max_over_time(vector(1)[4900000s:1s])`, "1" + strings.Repeat("+1", 8000),
		`last_over_time(count_values("v", vector(time()))[11000s:1s])`, `x offset 100y`, `sum by (`,
	} {
		query := "promql:" + text
		quoted := strings.ReplaceAll(query, `"`, `\"`)
		for name, send := range map[string]func() *httptest.ResponseRecorder{
			"query": func() *httptest.ResponseRecorder {
				return c.get("/api/v1/query", url.Values{
					"from": {fmt.Sprint(now - 600)}, "to": {fmt.Sprint(now)}, "query": {query},
				})
			},
			"metric_query": func() *httptest.ResponseRecorder {
				return c.get("/api/v1/graph/snapshot", c.params("metric_query", query))
			},
			"graph_def": func() *httptest.ResponseRecorder {
				return c.get("/api/v1/graph/snapshot", c.params("graph_def", `{"requests":[{"q":"`+quoted+`"}]}`))
			},
			"heatmap": func() *httptest.ResponseRecorder {
				return c.get("/api/v1/graph/snapshot", c.params("graph_def",
					`{"viz":"heatmap","requests":[{"q":"`+quoted+`"}]}`))
			},
			"queries": func() *httptest.ResponseRecorder {
				return c.get("/api/v1/graph/snapshot", c.params("graph_def",
					`{"requests":[{"queries":[{"name":"a","query":"`+quoted+`"}]}]}`))
			},
		} {
			t.Run(name+" "+text[:min(len(text), 24)], func(t *testing.T) { c.measured(t, 16*mebibyte, send, 400) })
		}
	}
}

// A formula wrote a query for each mention of its name.
func TestDefinitionsAreBounded(t *testing.T) {
	h := identitytest.SQLite(t, build(snapshots.DefaultConfig()))
	c := newClient(t, h, "ada")
	formula := func(mentions, length int) string {
		return `{"requests":[{"queries":[{"name":"a","query":"avg:` + strings.Repeat("x", length) +
			`{*}"}],"formulas":[{"formula":"a` + strings.Repeat("+a", mentions-1) + `"}]}]}`
	}
	list := func(n int, item string) string { return strings.TrimSuffix(strings.Repeat(item+",", n), ",") }
	distinct := func(n int) string {
		var keys []string
		for i := range n {
			keys = append(keys, fmt.Sprintf("k%d", i))
		}
		return strings.Join(keys, ",")
	}
	for name, def := range map[string]string{
		"formula":         formula(2000, 50_000),
		"longer formula":  formula(10_000, 50_000),
		"longest formula": formula(120_000, 100_000),
		"formulas": `{"requests":[{"queries":[{"name":"a","query":"m{*}"}],"formulas":[` + list(60,
			`{"formula":"a"}`) + `]}]}`,
		"queries":        `{"requests":[{"queries":[` + list(60, `{"name":"a","query":"m{*}"}`) + `]}]}`,
		"all requests":   `{"requests":[` + list(40, `{"q":"m{*},m{*},m{*}"}`) + `]}`,
		"aliases":        `{"requests":[{"q":"m{*}","metadata":[` + list(5000, `{}`) + `]}]}`,
		"formats":        `{"requests":[{"q":"m{*}","conditional_formats":[` + list(5000, `{}`) + `]}]}`,
		"events":         `{"requests":[{"q":"m{*}"}],"events":[` + list(5000, `{"q":"x"}`) + `]}`,
		"markers":        `{"requests":[{"q":"m{*}"}],"markers":[` + list(5000, `{}`) + `]}`,
		"empty requests": `{"requests":[` + list(100_000, `{}`) + `]}`,
		"long label":     `{"requests":[{"q":"m{*}"}],"yaxis":{"label":"` + strings.Repeat("w", 400_000) + `"}}`,
		"long alias": `{"requests":[{"queries":[{"name":"a","query":"m{*}"}],"formulas":[{"formula":"a","alias":"` +
			strings.Repeat("w", 400_000) + `"}]}]}`,
		"long kind":  `{"viz":"` + strings.Repeat("w", 400_000) + `","requests":[{"q":"m{*}"}]}`,
		"long query": `{"requests":[{"q":"` + strings.Repeat("é", 200_000) + `"}]}`,
		"groups":     `{"requests":[{"q":"m{*} by {` + distinct(5000) + `}"}]}`,
		"scope":      `{"requests":[{"q":"m{` + list(3000, "a:b") + `}"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			body := fmt.Sprintf(`{"start":%d,"end":%d,"graph_def":%s}`, c.Clock.Now().Unix()-600, c.Clock.Now().Unix(),
				def)
			c.measured(t, 24*mebibyte, func() *httptest.ResponseRecorder {
				return c.post("/api/v1/graph/snapshot", body, "SVC-APPLICATION-KEY: "+c.app)
			}, 400)
		})
	}
}

// field is a protobuf field that holds bytes.
func field(n protowire.Number, b []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, n, protowire.BytesType), b)
}

// path nests a list of empty elements in messages: the numbers of the fields
// from the outside, the list's last.
func path(n int, numbers ...protowire.Number) []byte {
	last := len(numbers) - 1
	b := bytes.Repeat(field(numbers[last], nil), n)
	for i := last - 1; i >= 0; i-- {
		b = field(numbers[i], b)
	}
	return b
}

// Empty elements take two bytes on the wire, and less when packed, and hundreds
// in memory: they are counted in every list before they are made.
func TestEmptyElementsAreCounted(t *testing.T) {
	h := identitytest.SQLite(t, build(snapshots.DefaultConfig()))
	c := newClient(t, h, "ada")
	const many = 1_000_000
	send := func(path, coding, media, body string) func() *httptest.ResponseRecorder {
		packed := pack(t, coding, body)
		if coding == "snappy" {
			packed = snappy.Encode(nil, []byte(body))
		}
		return func() *httptest.ResponseRecorder {
			return c.Call("POST", path, string(packed), "SVC-API-KEY: "+c.api, "Content-Type: "+media,
				"Content-Encoding: "+coding)
		}
	}
	limit := func(body string) uint64 { return 8*uint64(len(body)) + 24*mebibyte }
	for name, numbers := range map[string][]protowire.Number{
		"series": {1}, "metadata": {3}, "labels": {1, 1}, "samples": {1, 2}, "exemplars": {1, 3},
		"labels of exemplars": {1, 3, 1},
		"histograms":          {1, 4}, "negative spans": {1, 4, 8}, "positive spans": {1, 4, 11}, "counts": {1, 4, 13},
		"deltas": {1, 4, 12}, "unknown": {77},
	} {
		t.Run("remote write "+name, func(t *testing.T) {
			body := string(path(many, numbers...))
			c.measured(t, limit(body), send("/api/v1/write", "snappy", "application/x-protobuf", body), 413)
		})
	}
	for name, numbers := range map[string][]protowire.Number{
		"resources": {1}, "scopes": {1, 2}, "metrics": {1, 2, 2}, "attributes of the resource": {1, 1, 1},
		"entities":                {1, 1, 3},
		"attributes of the scope": {1, 2, 1, 3}, "metadata": {1, 2, 2, 12}, "gauge points": {1, 2, 2, 5, 1},
		"sum points":       {1, 2, 2, 7, 1},
		"histogram points": {1, 2, 2, 9, 1}, "exponential points": {1, 2, 2, 10, 1}, "summary points": {1, 2, 2, 11, 1},
		"attributes": {1, 2, 2, 5, 1, 7}, "exemplars": {1, 2, 2, 5, 1, 5}, "quantiles": {1, 2, 2, 11, 1, 6},
		"values of an attribute": {1, 1, 1, 2, 5, 1}, "many values of one attribute": {1, 1, 1, 2}, "unknown": {77},
	} {
		t.Run("OTLP "+name, func(t *testing.T) {
			body := string(path(many, numbers...))
			c.measured(t, limit(body), send("/v1/metrics", "gzip", "application/x-protobuf", body), 413)
		})
	}
	var metrics strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&metrics, `,{"metric":"m%d","points":[[%d,1]]}`, i, c.Clock.Now().Unix())
	}
	t.Run("different metrics", func(t *testing.T) {
		body := `{"series":[` + metrics.String()[1:] + `]}`
		c.measured(t, 96*mebibyte, send("/api/v1/series", "gzip", "application/json", body), 413)
	})
	list := func(before, item, after string) string {
		return before + strings.TrimSuffix(strings.Repeat(item+",", 1_200_000), ",") + after
	}
	for _, row := range []struct{ name, path, body string }{
		{"series", "/api/v1/series", list(`{"series":[`, `{}`, `]}`)},
		{"points", "/api/v1/series", list(`{"series":[{"metric":"m","points":[`, `[1,1]`, `]}]}`)},
		{"tags", "/api/v1/series", list(`{"series":[{"metric":"m","tags":[`, `""`, `]}]}`)},
		{"ignored", "/api/v1/series", list(`{"x":[`, `{}`, `]}`)},
		{"series, version 2", "/api/v2/series", list(`{"series":[`, `{}`, `]}`)},
		{"resources", "/api/v2/series", list(`{"series":[{"resources":[`, `{}`, `]}]}`)},
		{"points, version 2", "/api/v2/series", list(`{"series":[{"points":[`, `{}`, `]}]}`)},
		{"distributions", "/api/v1/distribution_points", list(`{"series":[`, `{}`, `]}`)},
		{"values", "/api/v1/distribution_points", list(`{"series":[{"metric":"m","points":[[1,[`, `1`, `]]]}]}`)},
		{"checks", "/api/v1/check_run", list(`[`, `{}`, `]`)},
		{"event", "/api/v1/events", list(`{"title":"x","tags":[`, `""`, `]}`)},
		{"OTLP", "/v1/metrics", list(`{"resourceMetrics":[`, `{}`, `]}`)},
	} {
		t.Run("JSON "+row.name, func(t *testing.T) {
			c.measured(t, limit(row.body), send(row.path, "gzip", "application/json", row.body), 400, 413)
		})
	}
}

// A body that is unpacked takes no more memory than it may, in any encoding.
func TestCompressionBombs(t *testing.T) {
	h := identitytest.SQLite(t, build(snapshots.DefaultConfig()))
	c := newClient(t, h, "ada")
	zeros := strings.Repeat("\x00", 66*mebibyte)
	var window bytes.Buffer
	w, err := zstd.NewWriter(&window, zstd.WithWindowSize(64*mebibyte))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = w.Write([]byte(zeros)) // a buffer takes all
	_ = w.Close()
	for name, body := range map[string][]byte{
		"gzip": pack(t, "gzip", zeros), "deflate": pack(t, "deflate", zeros), "zstd": pack(t, "zstd", zeros),
		"zstd ": window.Bytes(), "snappy": snappy.Encode(nil, []byte(zeros)),
		"snappy ": {0xff, 0xff, 0xff, 0xff, 0x0f, 0x00},
	} {
		for _, path := range []string{"/api/v1/series", "/api/v2/series", "/v1/metrics", "/api/v1/write"} {
			if path == "/api/v1/write" && !strings.HasPrefix(name, "snappy") {
				continue // it has one encoding
			}
			t.Run(name+path, func(t *testing.T) {
				c.measured(t, 400*mebibyte, func() *httptest.ResponseRecorder {
					return c.Call("POST", path, string(body), "SVC-API-KEY: "+c.api, "Content-Type: application/json",
						"Content-Encoding: "+strings.TrimSpace(name))
				}, 400, 413, 415)
			})
		}
	}
	if used := h.World.Memory.Used(); used != 0 {
		t.Errorf("%d bytes are still taken, want all given back", used)
	}
}

// A small attribute of a resource is repeated for every point.
func TestTagsOfResourcesAreBounded(t *testing.T) {
	h := identitytest.SQLite(t, build(snapshots.DefaultConfig()))
	c := newClient(t, h, "ada")
	points := strings.TrimSuffix(strings.Repeat(`{"timeUnixNano":"1","asDouble":1},`, 20_000), ",")
	attribute := `{"key":"k%d","value":{"stringValue":"` + strings.Repeat("v", 2000) + `"}}`
	var attributes []string
	for i := range 90 {
		attributes = append(attributes, fmt.Sprintf(attribute, i))
	}
	body := `{"resourceMetrics":[{"resource":{"attributes":[` + strings.Join(attributes, ",") +
		`]},"scopeMetrics":[{"metrics":[{"name":"m","gauge":{"dataPoints":[` + points + `]}}]}]}]}`
	c.measured(t, 200*mebibyte, func() *httptest.ResponseRecorder { return c.post("/v1/metrics", body) }, 413)
	long := strings.Replace(body, strings.Repeat("v", 2000), strings.Repeat("v", 100_000), 1)
	c.measured(t, 100*mebibyte, func() *httptest.ResponseRecorder { return c.post("/v1/metrics", long) }, 400)
}

func TestBudgetsOfOwnersAndNetworks(t *testing.T) {
	t.Parallel()
	config := snapshots.DefaultConfig()
	config.RequestsPerMinute, config.PointsPerMinute = 5, 40
	h := identitytest.SQLite(t, build(config))
	ada, bob := newClient(t, h, "ada"), newClient(t, h, "bob")
	series := func(n int) string {
		point := fmt.Sprintf("[%d,1]", h.Clock.Now().Unix())
		return `{"series":[{"metric":"m","points":[` + strings.TrimSuffix(strings.Repeat(point+",", n), ",") + `]}]}`
	}
	refused := func(w *httptest.ResponseRecorder, text string) {
		t.Helper()
		if w.Code != 429 || w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), text) {
			t.Errorf("%d, Retry-After %q, %s; want 429 that says %q", w.Code, w.Header().Get("Retry-After"), w.Body,
				text)
		}
	}
	ada.want(ada.post("/api/v1/series", series(30)), 202)
	refused(ada.post("/api/v1/series", series(20)), "points")
	ada.want(ada.post("/api/v1/series", series(10)), 202)
	ada.want(ada.post("/api/v1/events", `{"title":"x"}`), 202)
	ada.want(ada.get("/api/v1/validate", nil), 200)
	for _, path := range []string{
		"/api/v1/series", "/api/v2/series", "/api/v1/distribution_points", "/api/v1/check_run", "/api/v1/write",
		"/v1/metrics", "/api/v1/events",
	} {
		refused(ada.post(path, series(1)), "a minute")
	}
	refused(ada.get("/api/v1/validate", nil), "a minute")
	bob.want(bob.post("/api/v1/series", series(1)), 202)
	for range 5 {
		bob.want(bob.Call("GET", "/snapshot/view/x.png", ""), 404)
	}
	refused(bob.Call("GET", "/snapshot/view/x.png", ""), "a minute")
}

func TestActiveSeriesPerOwner(t *testing.T) {
	t.Parallel()
	config := snapshots.DefaultConfig()
	config.MaxActiveSeries = 10
	h := identitytest.SQLite(t, build(config))
	ada, bob := newClient(t, h, "ada"), newClient(t, h, "bob")
	submit := func(c *client, from, n int) *httptest.ResponseRecorder {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(`{"metric":"m","host":"h%d","points":[[%d,1]]}`, from+i,
				h.Clock.Now().Unix()))
		}
		return c.post("/api/v1/series", `{"series":[`+strings.Join(list, ",")+`]}`)
	}
	ada.want(submit(ada, 0, 8), 202)
	w := submit(ada, 5, 8) // three are known, five are new
	if w.Code != 429 || !strings.Contains(w.Body.String(), "active series") || w.Header().Get("Retry-After") == "" {
		t.Errorf("%d %s, want 429 for too many active series", w.Code, w.Body)
	}
	ada.want(submit(ada, 6, 4), 202)  // two are new: ten
	ada.want(submit(ada, 0, 10), 202) // none is new
	if w := submit(ada, 10, 1); w.Code != 429 {
		t.Errorf("the eleventh series: %d, want 429", w.Code)
	}
	bob.want(submit(bob, 0, 10), 202)
}
