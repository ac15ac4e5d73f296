package snapshots_test

import (
	"fmt"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/service/snapshots"
)

func (c *client) put(path, body string) map[string]any {
	c.t.Helper()
	return c.object(c.want(c.Call("PUT", path, body, "SVC-API-KEY: "+c.api, "SVC-APPLICATION-KEY: "+c.app,
		"Content-Type: application/json"), 200))
}

// What an owner says about a metric goes before what senders say, and is drawn.
func TestMetricMetadata(t *testing.T) {
	t.Parallel()
	identitytest.Run(t, build(snapshots.DefaultConfig()), func(t *testing.T, h *identitytest.Server) {
		c, other := newClient(t, h, "ada"), newClient(t, h, "bob")
		c.want(c.get("/api/v1/metrics/m", nil), 404)
		c.submit("m")
		got := c.object(c.want(c.get("/api/v1/metrics/m", nil), 200))
		if got["type"] != "gauge" || got["unit"] != nil || got["description"] != nil {
			t.Errorf("metadata of a new metric: %v", got)
		}
		plain := c.take("metric_query", "avg:m{*}")
		got = c.put("/api/v1/metrics/m", `{"type":"rate","unit":"byte","per_unit":"second","description":"traffic"}`)
		if got["type"] != "rate" || got["unit"] != "byte" || got["per_unit"] != "second" || got["description"] != "traffic" {
			t.Errorf("edited: %v", got)
		}
		c.submit("m") // as a gauge, without a unit
		got = c.put("/api/v1/metrics/m", `{"short_name":"t"}`)
		if got["type"] != "rate" || got["unit"] != "byte" || got["short_name"] != "t" {
			t.Errorf("after another submission: %v", got)
		}
		if unit := c.unitOf("avg:m{*}"); unit != "byte second" {
			t.Errorf("unit of a query: %q", unit)
		}
		byUnit := c.take("metric_query", "avg:m{*}")
		c.settle()
		if a, b := c.want(c.Call("GET", plain, ""), 200), c.want(c.Call("GET", byUnit, ""), 200); a.Header().Get("ETag") ==
			b.Header().Get("ETag") {
			t.Log("the first picture was drawn after the edit") // both jobs ran now
		}
		other.want(other.get("/api/v1/metrics/m", nil), 404)
		for _, body := range []string{
			`{"type":"apples"}`, `{"unit":"a/b"}`, `{"unit":"","per_unit":"second"}`, `{"statsd_interval":-1}`,
			`{"description":"` + strings.Repeat("x", 4001) + `"}`,
		} {
			c.want(c.Call("PUT", "/api/v1/metrics/m", body, "SVC-API-KEY: "+c.api, "SVC-APPLICATION-KEY: "+c.app,
				"Content-Type: application/json"), 400)
		}
	})
}

// unitOf is the names of the first series' unit.
func (c *client) unitOf(text string) string {
	c.t.Helper()
	now := c.Clock.Now().Unix()
	out := c.object(c.want(c.get("/api/v1/query", map[string][]string{
		"from": {fmt.Sprint(now - 3600)}, "to": {fmt.Sprint(now)}, "query": {text},
	}), 200))
	list, _ := out["series"].([]any)
	if len(list) == 0 {
		return ""
	}
	series, _ := list[0].(map[string]any)
	units, _ := series["unit"].([]any)
	var names []string
	for _, u := range units {
		if one, ok := u.(map[string]any); ok {
			names = append(names, fmt.Sprint(one["name"]))
		}
	}
	return strings.Join(names, " ")
}

// The second version of the query evaluates formulas over named queries.
func TestTimeseriesQuery(t *testing.T) {
	t.Parallel()
	c := newClient(t, identitytest.SQLite(t, build(snapshots.DefaultConfig())), "ada")
	c.submit("m")
	now := c.Clock.Now().Unix() / 60 * 60 * 1000
	ask := func(attributes string, status int) string {
		t.Helper()
		body := fmt.Sprintf(`{"data":{"type":"timeseries_request","attributes":{"from":%d,"to":%d,%s}}}`, now-300_000, now,
			attributes)
		return c.want(c.post("/api/v2/query/timeseries", body, "SVC-APPLICATION-KEY: "+c.app), status).Body.String()
	}
	queries := `"interval":60000,"queries":[{"data_source":"metrics","query":"avg:m{*} by {host}","name":"a"}]`
	if got := ask(queries, 200); !strings.Contains(got, `"group_tags":["host:web-0"],"query_index":0`) ||
		!strings.Contains(got, `"values":[[10,10,10,10,10],[20,20,20,20,20]]`) {
		t.Errorf("queries alone: %s", got)
	}
	got := ask(queries+`,"formulas":[{"formula":"a * 2","limit":{"count":1,"order":"desc"}},{"formula":"a"}]`, 200)
	if !strings.Contains(got, `"values":[[40,40,40,40,40],[10,10,10,10,10],[20,20,20,20,20]]`) ||
		!strings.Contains(got, `"group_tags":["host:web-1"],"query_index":0`) || !strings.Contains(got, `"query_index":1`) {
		t.Errorf("formulas: %s", got)
	}
	for _, bad := range []string{
		`"queries":[]`, `"queries":[{"data_source":"logs","query":"x","name":"a"}]`, queries + `,"formulas":[{"formula":"a +"}]`,
		queries + `,"formulas":[{"formula":"a","limit":{"order":"up"}}]`, `"interval":-1,` + queries[17:],
		`"interval":31622401000,` + queries[17:], `"interval":9223372036854775807,` + queries[17:],
	} {
		ask(bad, 400)
	}
	for _, path := range []string{"timeseries", "scalar"} {
		body := fmt.Sprintf(`{"data":{"type":"other_request","attributes":{"from":%d,"to":%d,%s}}}`, now-300_000, now,
			queries[17:])
		got := c.want(c.post("/api/v2/query/"+path, body, "SVC-APPLICATION-KEY: "+c.app), 400).Body.String()
		if !strings.Contains(got, "data.type must be "+path+"_request") {
			t.Errorf("another type: %s", got)
		}
	}
}

// The vendor's kinds that are not drawn here are refused with a way out.
func TestKindsThatAreRefused(t *testing.T) {
	t.Parallel()
	c := newClient(t, identitytest.SQLite(t, build(snapshots.DefaultConfig())), "ada")
	for kind, want := range map[string]string{
		"query_table": "a toplist shows", "treemap": "a toplist shows", "sunburst": "a toplist shows",
		"scatterplot": "on_right_yaxis", "hostmap": "by {host}", "slo": "not a graph of metrics",
		"note": "not a graph of metrics", "pie": "not a kind of graph",
	} {
		def := fmt.Sprintf(`{"viz":%q,"requests":[{"q":"m{*}"}]}`, kind)
		w := c.want(c.get("/api/v1/graph/snapshot", c.params("graph_def", def)), 400)
		if !strings.Contains(w.Body.String(), want) || !strings.Contains(w.Body.String(), "use timeseries, toplist") {
			t.Errorf("%s: %s", kind, w.Body)
		}
	}
}

// What the vendor's clients call besides, and what there is no use for here, is
// refused with a way out.
func TestCallsThatAreRefused(t *testing.T) {
	t.Parallel()
	c := newClient(t, identitytest.SQLite(t, build(snapshots.DefaultConfig())), "ada")
	for path, want := range map[string]string{
		"/api/v1/dashboard": "definition of a widget", "/api/v1/dashboard/abc-def": "definition of a widget",
		"/api/v1/monitor": "/api/v1/query", "/api/v1/slo": "/api/v1/query", "/api/v1/hosts": "by {host}",
		"/api/v1/tags/hosts": "by {host}", "/api/v1/graph/embed": "/api/v1/graph/snapshot",
		"/api/v2/snapshot": "/api/v1/graph/snapshot", "/api/v2/metrics": "/api/v1/metrics",
	} {
		w := c.want(c.get(path, nil), 404)
		if !strings.Contains(w.Body.String(), `{"errors":["Not found: there is no GET `+path+"; ") ||
			!strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %s", path, w.Body)
		}
	}
}

// TestMetadataOfSeveralProcesses edits in one process what another has read already.
func TestMetadataOfSeveralProcesses(t *testing.T) {
	t.Parallel()
	url := identitytest.PostgresURL(t)
	c := newClient(t, identitytest.Open(t, build(snapshots.DefaultConfig()), url), "ada")
	other := *c
	other.Server = identitytest.Open(t, build(snapshots.DefaultConfig()), url)
	c.submit("m")
	for _, kind := range []string{"gauge", "rate", "count"} {
		if kind != "gauge" {
			c.put("/api/v1/metrics/m", `{"type":"`+kind+`"}`)
		}
		if got := other.object(other.want(other.get("/api/v1/metrics/m", nil), 200)); got["type"] != kind {
			t.Errorf("the other process says %v, want %s", got["type"], kind)
		}
	}
}
