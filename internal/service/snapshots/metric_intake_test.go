package snapshots_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/prometheus/prometheus/prompb"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	"google.golang.org/protobuf/proto"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/service/snapshots"
)

// points runs a query over the last hour and returns scope=values lines.
func (c *client) points(text string) string {
	c.t.Helper()
	now := c.Clock.Now().Unix()
	return c.pointsOf(text, now-3600, now+600)
}

// seriesText writes an answer as scope=values lines.
func seriesText(out map[string]any) string {
	var lines []string
	list, _ := out["series"].([]any)
	for _, s := range list {
		m, _ := s.(map[string]any)
		line := fmt.Sprint(m["scope"], "=")
		pts, _ := m["pointlist"].([]any)
		for _, p := range pts {
			pair, _ := p.([]any)
			line += fmt.Sprint(pair[1], " ")
		}
		lines = append(lines, strings.TrimSpace(line))
	}
	return strings.Join(lines, "; ")
}

func pack(t *testing.T, coding, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser
	switch coding {
	case "gzip":
		w = gzip.NewWriter(&b)
	case "deflate":
		w = zlib.NewWriter(&b)
	case "zstd1", "zstd":
		w, _ = zstd.NewWriter(&b)
	default:
		return []byte(text)
	}
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestSeriesIntake(t *testing.T) {
	t.Parallel()
	h := identitytest.SQLite(t, build(snapshots.DefaultConfig()))
	c := newClient(t, h, "ada")
	now := c.Clock.Now().Unix()
	for _, row := range []struct{ name, path, coding, media, body, query, want string }{
		{
			"v1 gauge", "/api/v1/series", "", "text/json",
			`{"series":[{"metric":"a.gauge","points":[[%d,3],["%[1]d",3]],"host":"h1","tags":["Env:Prod"],` +
				`"interval":null}]}`,
			"avg:a.gauge{env:prod} by {host}", "host:h1,env:prod=3",
		},
		{
			"v1 count, gzip", "/api/v1/series", "gzip", "application/json",
			`{"series":[{"metric":"a.count","type":"count","interval":10,"points":[[%d,20]]}]}`,
			"sum:a.count{*}.as_rate()", "*=0.3333333333333333",
		},
		{
			"v1 rate, deflate", "/api/v1/series", "deflate", "application/json",
			`{"series":[{"metric":"a.rate","type":"rate","interval":10,"points":[[%d,2]]}]}`,
			"sum:a.rate{*}.as_count()", "*=20",
		},
		{
			"v2 zstd", "/api/v2/series", "zstd1", "application/json",
			`{"series":[{"metric":"b.gauge","type":3,"unit":"byte","points":[{"timestamp":%d,"value":7}],` +
				`"resources":[{"name":"h2","type":"host"}]}]}`,
			"b.gauge{host:h2}", "host:h2=7",
		},
		{
			"distribution", "/api/v1/distribution_points", "deflate", "application/json",
			`{"series":[{"metric":"c.dist","points":[[%d,[1,2,3,4,100]]]}]}`, "sum:c.dist{*}, count:c.dist{*}",
			"*=110; *=5",
		},
		{
			"checks", "/api/v1/check_run", "", "application/json",
			`[{"check":"app.ok","host_name":"h1","status":2,"timestamp":%d}]`, "max:app.ok{host:h1}", "host:h1=2",
		},
		{
			"one check", "/api/v1/check_run", "", "application/json",
			`{"check":"app.one","host_name":"h1","status":1,"timestamp":%d}`, "max:app.one{host:h1}", "host:h1=1",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			body := row.body
			if strings.Contains(body, "%[1]d") {
				body = fmt.Sprintf(strings.Replace(body, "%d", "%[1]d", 1), now)
			} else {
				body = fmt.Sprintf(body, now)
			}
			r := httptest.NewRequest(http.MethodPost, row.path, bytes.NewReader(pack(t, row.coding, body)))
			r.Header.Set("SVC-API-KEY", c.api)
			r.Header.Set("Content-Type", row.media)
			if row.coding != "" {
				r.Header.Set("Content-Encoding", row.coding)
			}
			w := c.want(c.Do(r), 202)
			want := `{"status":"ok"}`
			if strings.Contains(row.path, "v2") {
				want = `{"errors":[]}`
			}
			if strings.TrimSpace(w.Body.String()) != want {
				t.Errorf("answer = %s, want %s", w.Body, want)
			}
			if got := c.points(row.query); got != row.want {
				t.Errorf("%s = %q, want %q", row.query, got, row.want)
			}
		})
	}
}

func TestIntakeRefusals(t *testing.T) {
	t.Parallel()
	h := identitytest.SQLite(t, build(snapshots.DefaultConfig()))
	c := newClient(t, h, "ada")
	bomb := string(pack(t, "gzip", `{"series":[`+strings.Repeat(" ", 6<<20)+`]}`))
	for name, row := range map[string]struct {
		path, body, header string
		status             int
		want               string
	}{
		"empty":     {"/api/v1/series", "", "X: y", 400, "missing"},
		"not JSON":  {"/api/v1/series", "{", "X: y", 400, "errors"},
		"no series": {"/api/v1/series", `{"series":[]}`, "X: y", 400, "at least one"},
		"bad name":  {"/api/v1/series", `{"series":[{"metric":"1-x","points":[]}]}`, "X: y", 400, "series[0]"},
		"reserved name": {
			"/api/v1/series", `{"series":[{"metric":"stoa.x","points":[]}]}`, "X: y", 400, "recorded by the server",
		},
		"bad type": {
			"/api/v1/series", `{"series":[{"metric":"x","type":"odd","points":[]}]}`, "X: y", 400, "type is",
		},
		"bad point": {
			"/api/v1/series", `{"series":[{"metric":"x","points":[[1]]}]}`, "X: y", 400, "a point is",
		},
		"point is null": {
			"/api/v1/series", `{"series":[{"metric":"x","points":[[1,null]]}]}`, "X: y", 400, "not a number",
		},
		"point is infinite": {
			"/api/v1/series", `{"series":[{"metric":"x","points":[[1,1e999]]}]}`, "X: y", 400, "not a number",
		},
		"v2 type": {
			"/api/v2/series", `{"series":[{"metric":"x","type":9,"points":[]}]}`, "X: y", 400, "type is",
		},
		"v2 no value": {
			"/api/v2/series", `{"series":[{"metric":"x","points":[{"timestamp":1}]}]}`, "X: y", 400,
			"needs timestamp and value",
		},
		"interval": {
			"/api/v1/series", `{"series":[{"metric":"x","type":"rate","interval":1e9,"points":[]}]}`, "X: y", 400, "interval",
		},
		"v2 interval": {
			"/api/v2/series", `{"series":[{"metric":"x","type":2,"interval":9223372036854775807,"points":[]}]}`, "X: y", 400,
			"interval",
		},
		"v2 negative interval": {
			"/api/v2/series", `{"series":[{"metric":"x","type":2,"interval":-1,"points":[]}]}`, "X: y", 400, "interval",
		},
		"distribution": {
			"/api/v1/distribution_points", `{"series":[{"metric":"x","points":[[1,2]]}]}`, "X: y", 400,
			"list of values",
		},
		"check status":   {"/api/v1/check_run", `[{"check":"x","status":7}]`, "X: y", 400, "status is"},
		"media type":     {"/api/v1/series", `{}`, "Content-Type: text/plain", 415, "content type"},
		"encoding":       {"/api/v1/series", `{}`, "Content-Encoding: br", 415, "encoding"},
		"broken gzip":    {"/api/v1/series", `{}`, "Content-Encoding: gzip", 400, "unpacked"},
		"broken zstd":    {"/api/v2/series", `{}`, "Content-Encoding: zstd", 400, "unpacked"},
		"bomb":           {"/api/v2/series", bomb, "Content-Encoding: gzip", 413, "too large"},
		"too large":      {"/api/v2/series", strings.Repeat(" ", 600_000), "X: y", 413, "too large"},
		"event title":    {"/api/v1/events", `{"text":"x"}`, "X: y", 400, "title is required"},
		"event priority": {"/api/v1/events", `{"title":"x","priority":"high"}`, "X: y", 400, "priority"},
		"event type":     {"/api/v1/events", `{"title":"x","alert_type":"bad"}`, "X: y", 400, "alert_type"},
		"remote write":   {"/api/v1/write", "xx", "Content-Encoding: snappy", 400, "errors"},
		"otlp media":     {"/v1/metrics", "xx", "Content-Type: text/plain", 415, "errors"},
		"otlp":           {"/api/v1/otlp/v1/metrics", "xx", "X: y", 400, "OTLP"},
	} {
		t.Run(name, func(t *testing.T) {
			headers := []string{"SVC-API-KEY: " + c.api, "Content-Type: application/json"}
			w := c.want(c.Call("POST", row.path, row.body, append(headers, row.header)...), row.status)
			out := c.object(w)
			if out["status"] != "error" || out["code"] != float64(row.status) ||
				!strings.Contains(w.Body.String(), row.want) {
				t.Errorf("body = %s, want status, code and %q", w.Body, row.want)
			}
		})
	}
}

func TestTimeWindow(t *testing.T) {
	t.Parallel()
	h := identitytest.SQLite(t, build(snapshots.DefaultConfig()))
	c := newClient(t, h, "ada")
	now := c.Clock.Now().Unix()
	body := fmt.Sprintf(`{"series":[{"metric":"m","points":[[%d,1],[%d,2],[%d,3],[%d,4]]}]}`, now-3601, now-3000,
		now+500, now+601)
	w := c.want(c.post("/api/v1/series", body), 202)
	if !strings.Contains(w.Body.String(), "2 points of m are more than 1h old or more than 10m ahead") {
		t.Errorf("answer = %s, want the dropped points named", w.Body)
	}
	if got := c.points("m{*}"); got != "*=2 3" {
		t.Errorf("stored %q, want the two points in the window", got)
	}
}

func TestRemoteWrite(t *testing.T) {
	t.Parallel()
	h := identitytest.SQLite(t, build(snapshots.DefaultConfig()))
	c := newClient(t, h, "ada")
	now := c.Clock.Now().UnixMilli()
	req := prompb.WriteRequest{Timeseries: []prompb.TimeSeries{{
		Labels:  []prompb.Label{{Name: "__name__", Value: "http_requests_total"}, {Name: "path", Value: "/API/Users"}},
		Samples: []prompb.Sample{{Timestamp: now - 60_000, Value: 10}, {Timestamp: now, Value: 70}},
	}}}
	b, err := req.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	c.want(
		c.Call("POST", "/api/v1/write", string(snappy.Encode(nil, b)), "Authorization: Bearer "+c.api,
			"Content-Encoding: snappy", "Content-Type: application/x-protobuf"),
		204,
	)
	if got := c.points("per_second(max:http_requests_total{path:/api/users})"); got != "path:/api/users=1" {
		t.Errorf("our language reads %q", got)
	}
	if got := c.points(
		`promql:max by (path) (http_requests_total{path="/API/Users"})`,
	); !strings.HasPrefix(got, "path:/API/Users=10 ") {
		t.Errorf("PromQL reads %q", got)
	}
}

func TestOTLP(t *testing.T) {
	t.Parallel()
	h := identitytest.SQLite(t, build(snapshots.DefaultConfig()))
	c := newClient(t, h, "ada")
	ns := c.Clock.Now().UnixNano()
	body := fmt.Sprintf(`{"resourceMetrics":[{"resource":
		{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]},"scopeMetrics":[{"metrics":[
		{"name":"queue.length","unit":"{job}","gauge":{"dataPoints":[{"timeUnixNano":"%[1]d","asInt":"5",
			"attributes":[{"key":"q","value":{"stringValue":"mail"}}]}]}},
		{"name":"orders","sum":{"aggregationTemporality":1,"isMonotonic":true,
			"dataPoints":[{"timeUnixNano":"%[1]d","asDouble":4}]}},
		{"name":"latency","unit":"ms","histogram":{"aggregationTemporality":1,
			"dataPoints":[{"timeUnixNano":"%[1]d","count":"4","sum":100,
				"bucketCounts":["1","3","0"],"explicitBounds":[10,50]}]}},
		{"name":"total","histogram":{"aggregationTemporality":2,
			"dataPoints":[{"timeUnixNano":"%[1]d","count":"9","sum":90}]}}
	]}]}]}`, ns)
	w := c.want(c.post("/v1/metrics", body), 200)
	if w.Body.String() != "{}" {
		t.Errorf("answer = %q, want an empty message", w.Body)
	}
	for query, want := range map[string]string{
		"queue.length{q:mail} by {service.name}": "service.name:shop,q:mail=5",
		"sum:orders{*}.as_count()":               "*=4",
		"avg:latency{*}, count:latency{*}":       "*=25; *=4",
		"total.count{*}, total.sum{*}":           "*=9; *=90",
	} {
		if got := c.points(query); got != want {
			t.Errorf("%s = %q, want %q", query, got, want)
		}
	}
}

// What the engine or a database reserves is a name like any other.
func TestReservedNames(t *testing.T) {
	t.Parallel()
	identitytest.Run(t, build(snapshots.DefaultConfig()), func(t *testing.T, h *identitytest.Server) {
		c := newClient(t, h, "ada")
		now := c.Clock.Now()
		c.want(c.post("/api/v1/series", fmt.Sprintf(`{"series":[{"metric":"m","points":[[%d,5]],`+
			`"tags":["__x:1","tag__x:2","tagtag__x:3","__name__:n"]}]}`, now.Unix())), 202)
		for _, tag := range []string{"__x", "tag__x", "tagtag__x", "__name__"} {
			if got := c.points("m{*} by {" + tag + "}"); got != map[string]string{
				"__x": "__x:1=5", "tag__x": "tag__x:2=5", "tagtag__x": "tagtag__x:3=5", "__name__": "__name__:n=5",
			}[tag] {
				t.Errorf("by %s: %q", tag, got)
			}
		}
		point := &metricspb.NumberDataPoint{
			TimeUnixNano: uint64(now.UnixNano()), Value: &metricspb.NumberDataPoint_AsDouble{AsDouble: 7},
			Attributes: []*commonpb.KeyValue{{
				Key: "k\x00", Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: "v\x00"}},
			}},
		}
		b, err := proto.Marshal(&metricspb.MetricsData{ResourceMetrics: []*metricspb.ResourceMetrics{{
			ScopeMetrics: []*metricspb.ScopeMetrics{{Metrics: []*metricspb.Metric{{
				Name: "odd\x00name", Unit: "u\x00",
				Data: &metricspb.Metric_Gauge{Gauge: &metricspb.Gauge{DataPoints: []*metricspb.NumberDataPoint{point}}},
			}}}},
		}}})
		if err != nil {
			t.Fatal(err)
		}
		c.want(c.Call("POST", "/v1/metrics", string(b), "SVC-API-KEY: "+c.api, "Content-Type: application/x-protobuf"), 200)
		w := c.want(c.get("/api/v1/search", url.Values{"q": {"odd"}}), 200)
		if !strings.Contains(w.Body.String(), `"odd name"`) {
			t.Errorf("found %s", w.Body)
		}
	})
}

func TestEvents(t *testing.T) {
	t.Parallel()
	identitytest.Run(t, build(snapshots.DefaultConfig()), func(t *testing.T, h *identitytest.Server) {
		c := newClient(t, h, "ada")
		now := c.Clock.Now().Unix()
		made := c.object(c.want(
			c.post("/api/v1/events", `{"title":"Deployed","text":"v2","tags":["Env:Prod"],"alert_type":"error","host":"web-1",`+
				`"aggregation_key":"release","source_type_name":"jenkins","device_name":"eth0","related_event_id":7}`), 202,
		))
		event, _ := made["event"].(map[string]any)
		if made["status"] != "ok" || event["title"] != "Deployed" || event["priority"] != "normal" ||
			event["date_happened"] != float64(now) {
			t.Errorf("event = %v", made)
		}
		for name, want := range map[string]any{
			"text": "v2", "alert_type": "error", "host": "web-1", "aggregation_key": "release", "source": "jenkins",
			"device_name": "eth0", "related_event_id": float64(7), "tags": []any{"env:prod"},
		} {
			if !reflect.DeepEqual(event[name], want) {
				t.Errorf("%s is %v, want %v", name, event[name], want)
			}
		}
		id := fmt.Sprint(event["id_str"])
		if got := c.object(c.want(
			c.get("/api/v1/events/"+id, nil), 200,
		)); fmt.Sprint(got["event"]) != fmt.Sprint(event) {
			t.Errorf("read back %v, want %v", got["event"], event)
		}
		for filter, want := range map[string]int{
			"": 1, "tags=env:prod": 1, "tags=env:dev": 0, "priority=low": 0, "page=1": 0,
		} {
			v, _ := url.ParseQuery(filter)
			v.Set("start", fmt.Sprint(now-10))
			v.Set("end", fmt.Sprint(now+10))
			list, _ := c.object(c.want(c.get("/api/v1/events", v), 200))["events"].([]any)
			if len(list) != want {
				t.Errorf("events with %q: %d, want %d", filter, len(list), want)
			}
		}
		c.want(c.get("/api/v1/events", url.Values{"start": {"5"}, "end": {"1"}}), 400)
		// What the next sweep would delete is refused.
		oldest := now - int64(snapshots.DefaultConfig().Retention/time.Second)
		for happened, status := range map[int64]int{oldest: 202, oldest - 1: 400} {
			c.want(c.post("/api/v1/events", fmt.Sprintf(`{"title":"old","date_happened":%d}`, happened)), status)
		}
		c.want(c.get("/api/v1/events/77", nil), 404)
		c.want(c.get("/api/v1/events/x", nil), 404)

		// An event leaves a band in the picture.
		c.submit("cpu")
		plain, banded := c.take("metric_query", "avg:cpu{*}"), c.take("metric_query", "avg:cpu{*}", "event_query",
			"status:error deployed")
		missed := c.take("metric_query", "avg:cpu{*}", "event_query", "status:warning")
		c.settle()
		etag := func(path string) string { return c.want(c.Call("GET", path, ""), 200).Header().Get("ETag") }
		if etag(plain) == etag(banded) || etag(plain) != etag(missed) {
			t.Errorf("pictures: plain %s, with event %s, without match %s", etag(plain), etag(banded), etag(missed))
		}
	})
}

func TestOwnersAreApart(t *testing.T) {
	t.Parallel()
	h := identitytest.SQLite(t, build(snapshots.DefaultConfig()))
	ada, bob := newClient(t, h, "ada"), newClient(t, h, "bob")
	ada.submit("secret.metric")
	event := ada.object(ada.want(ada.post("/api/v1/events", `{"title":"secret event"}`), 202))
	if got := bob.points("avg:secret.metric{*}"); got != "" {
		t.Errorf("bob reads %q", got)
	}
	if got := bob.points(`promql:{__name__=~"secret.*"}`); got != "" {
		t.Errorf("bob reads %q in PromQL", got)
	}
	for _, path := range []string{"/api/v1/metrics?from=0", "/api/v1/search?q=secret"} {
		for owner, c := range map[bool]*client{true: ada, false: bob} {
			w := c.Call("GET", path, "", "SVC-API-KEY: "+c.api, "SVC-APPLICATION-KEY: "+c.app)
			if strings.Contains(w.Body.String(), `"secret.metric"`) != owner {
				t.Errorf("%s shows %s; the owner asks: %v", path, w.Body, owner)
			}
		}
	}
	e, _ := event["event"].(map[string]any)
	bob.want(bob.get("/api/v1/events/"+fmt.Sprint(e["id_str"]), nil), 404)
	path := ada.take("metric_query", "avg:secret.metric{*}")
	ada.settle()
	status := "/api/v1/graph/snapshot_status/" + strings.TrimSuffix(strings.TrimPrefix(path, "/snapshot/view/"), ".png")
	if got := bob.object(bob.want(bob.get(status, nil), 200))["status_code"]; got != 404.0 {
		t.Errorf("bob learns %v about ada's snapshot, want 404", got)
	}
	// Keys of two users do not add up.
	mixed := &client{Server: h, t: t, api: ada.api, app: bob.app}
	mixed.want(mixed.get("/api/v1/query", url.Values{"from": {"1"}, "to": {"2"}, "query": {"m{*}"}}), 403)
}

func TestKeys(t *testing.T) {
	t.Parallel()
	h := identitytest.SQLite(t, build(snapshots.DefaultConfig()))
	c := newClient(t, h, "ada")
	snapshot := "/api/v1/graph/snapshot?" + c.params("metric_query", "m{*}").Encode()
	for _, row := range []struct {
		name, path string
		headers    []string
		status     int
	}{
		{"both", snapshot, []string{"SVC-API-KEY: " + c.api, "SVC-APPLICATION-KEY: " + c.app}, 200},
		{"both in the query", snapshot + "&api_key=" + c.api + "&application_key=" + c.app, nil, 200},
		{"no key", snapshot, nil, 403},
		{"no application key", snapshot, []string{"SVC-API-KEY: " + c.api}, 403},
		{"no API key", snapshot, []string{"SVC-APPLICATION-KEY: " + c.app}, 403},
		{"wrong API key", snapshot, []string{"SVC-API-KEY: x", "SVC-APPLICATION-KEY: " + c.app}, 403},
		{"wrong application key", snapshot, []string{"SVC-API-KEY: " + c.api, "SVC-APPLICATION-KEY: x"}, 403},
		{"swapped", snapshot, []string{"SVC-API-KEY: " + c.app, "SVC-APPLICATION-KEY: " + c.api}, 403},
		{
			"brand spelling is not neutral", snapshot, []string{"DD-API-KEY: " + c.api, "DD-APPLICATION-KEY: " + c.app},
			403,
		},
		{"validate", "/api/v1/validate", []string{"SVC-API-KEY: " + c.api}, 200},
		{"validate refuses", "/api/v1/validate", []string{"SVC-API-KEY: nope"}, 403},
		{"unknown path", "/api/v1/nothing", []string{"SVC-API-KEY: " + c.api}, 404},
		{
			"picture that is not there", "/snapshot/view/main/org_1/2026-01-01/" + strings.Repeat("0", 40) + ".png",
			nil, 404,
		},
		{"short picture", "/snapshot/view/x", nil, 404},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := c.want(c.Call("GET", row.path, "", row.headers...), row.status)
			if row.status >= 400 {
				list, _ := c.object(w)["errors"].([]any)
				if len(list) != 1 {
					t.Errorf("body = %s, want one error", w.Body)
				}
			}
		})
	}
	if log := h.Log.String(); strings.Contains(log, c.api) || strings.Contains(log, c.app) {
		t.Error("the log shows a key")
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	config := snapshots.DefaultConfig()
	config.SnapshotsPerHour = 2
	identitytest.Run(t, build(config), func(t *testing.T, h *identitytest.Server) {
		c := newClient(t, h, "ada")
		h.Clock.Advance(time.Hour - time.Duration(h.Clock.Now().UnixNano()%int64(time.Hour))) // a whole hour
		h.Clock.Advance(10 * time.Minute)
		for i, want := range []int{200, 200, 429} {
			w := c.want(c.get("/api/v1/graph/snapshot", c.params("metric_query", "m{*}")), want)
			for name, value := range map[string]string{
				"X-RateLimit-Limit": "2", "X-RateLimit-Period": "3600",
				"X-RateLimit-Remaining": fmt.Sprint(max(0, 1-i)),
				"X-RateLimit-Reset":     "3000", "X-RateLimit-Name": "graph_snapshot",
			} {
				if got := w.Header().Get(name); got != value {
					t.Errorf("call %d: %s = %q, want %q", i, name, got, value)
				}
			}
		}
		newClient(t, h, "bob").take("metric_query", "m{*}")
		h.Clock.Advance(50 * time.Minute)
		c.take("metric_query", "m{*}")
		if key := h.Key("ada", identity.KindAPI, 7); key == "" {
			t.Error("no key")
		}
	})
}
