package snapshots_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/klauspost/compress/snappy"
	"github.com/prometheus/prometheus/prompb"

	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/service/snapshots"
)

// sender sends one point of the metric m by one protocol.
type sender struct {
	name  string
	query string
	want  string // what six points of 20 are
	send  func(c *client, at int64, v int)
}

func senders() []sender {
	post := func(path, body string) func(*client, int64, int) {
		return func(c *client, at int64, v int) {
			c.t.Helper()
			if w := c.post(path, fmt.Sprintf(body, at, v)); w.Code/100 != 2 {
				c.t.Fatalf("%s: %d %s", path, w.Code, w.Body)
			}
		}
	}
	v1 := `{"series":[{"metric":"m","type":"%s","interval":60,"points":[[%%d,%%d]]}]}`
	delta := `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"m","sum":{"aggregationTemporality":1,` +
		`"dataPoints":[{"timeUnixNano":"%d000000000","asInt":"%d"}]}}]}]}]}`
	return []sender{
		{"gauge", "m{*}", "20", post("/api/v1/series", fmt.Sprintf(v1, "gauge"))},
		{"count", "sum:m{*}.as_count()", "20", post("/api/v1/series", fmt.Sprintf(v1, "count"))},
		{"rate", "sum:m{*}.as_rate()", "20", post("/api/v1/series", fmt.Sprintf(v1, "rate"))},
		{
			"version 2", "sum:m{*}.as_count()", "20", post("/api/v2/series",
				`{"series":[{"metric":"m","type":1,"interval":60,"points":[{"timestamp":%d,"value":%d}]}]}`),
		},
		{
			"distribution", "sum:m{*}", "20",
			post("/api/v1/distribution_points", `{"series":[{"metric":"m","points":[[%d,[%d]]]}]}`),
		},
		{"OTLP", "sum:m{*}.as_count()", "20", post("/v1/metrics", delta)},
		{"remote write", "m{*}", "20", remoteWrite},
	}
}

func remoteWrite(c *client, at int64, v int) {
	c.t.Helper()
	b, err := (&prompb.WriteRequest{Timeseries: []prompb.TimeSeries{{
		Labels:  []prompb.Label{{Name: "__name__", Value: "m"}},
		Samples: []prompb.Sample{{Timestamp: at * 1000, Value: float64(v)}},
	}}}).Marshal()
	if err != nil {
		c.t.Fatal(err)
	}
	c.want(c.post("/api/v1/write", string(snappy.Encode(nil, b)), "Content-Encoding: snappy",
		"Content-Type: application/x-protobuf"), 204)
}

// A point that is sent again replaces the one before, the newest and old ones, by
// every protocol and at every zoom.
func TestPointsSentAgain(t *testing.T) {
	t.Parallel()
	identitytest.Run(t, build(snapshots.DefaultConfig()), func(t *testing.T, h *identitytest.Server) {
		for i, s := range senders() {
			t.Run(s.name, func(t *testing.T) {
				c := newClient(t, h, fmt.Sprintf("user%d", i))
				now := c.Clock.Now().Unix() / 300 * 300
				for _, v := range []int{10, 30, 5, 20, 20} {
					for _, minutes := range []int64{4, 0, 5, 2, 3, 1} {
						s.send(c, now-minutes*60, v)
					}
				}
				for _, span := range []int64{900, 3600, 4 * 3600} {
					got := c.pointsOf(s.query, now+60-span, now+60)
					if want := "*=" + strings.TrimSpace(strings.Repeat(s.want+" ", 6)); got != want {
						t.Errorf("over %d s: %q, want %q", span, got, want)
					}
				}
			})
		}
	})
}

// pointsOf is points between two times.
func (c *client) pointsOf(text string, from, to int64) string {
	c.t.Helper()
	v := url.Values{"from": {fmt.Sprint(from)}, "to": {fmt.Sprint(to)}, "query": {text}}
	return seriesText(c.object(c.want(c.get("/api/v1/query", v), 200)))
}

// Points that other protocols bring are taken as far back as points are kept; one
// far ahead is refused, because it would make all others too old.
func TestOtherProtocolsHaveAWindow(t *testing.T) {
	t.Parallel()
	c := newClient(t, identitytest.SQLite(t, build(snapshots.DefaultConfig())), "ada")
	now := c.Clock.Now().Unix()
	for _, at := range []int64{now + 3600, now - 91*86400} {
		b, _ := (&prompb.WriteRequest{Timeseries: []prompb.TimeSeries{{
			Labels:  []prompb.Label{{Name: "__name__", Value: "m"}},
			Samples: []prompb.Sample{{Timestamp: at * 1000, Value: 1}, {Timestamp: now * 1000, Value: 2}},
		}}}).Marshal()
		w := c.want(c.post("/api/v1/write", string(snappy.Encode(nil, b)), "Content-Encoding: snappy",
			"Content-Type: application/x-protobuf"), 400)
		if !strings.Contains(w.Body.String(), "1 points of m are more than 2160h old or more than 10m ahead") {
			t.Errorf("remote write: %s", w.Body)
		}
		body := fmt.Sprintf(`{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"o","gauge":{"dataPoints":`+
			`[{"timeUnixNano":"%d000000000","asInt":"1"},{"timeUnixNano":"%d000000000","asInt":"2"}]}}]}]}]}`, at, now)
		w = c.want(c.post("/v1/metrics", body), 200)
		if !strings.HasPrefix(w.Body.String(), `{"partialSuccess":{"errorMessage":"1 points of o are`) {
			t.Errorf("OTLP: %s", w.Body)
		}
	}
	remoteWrite(c, now-89*86400, 7)
	if got := c.pointsOf("m{*}", now-90*86400, now+60); got != "*=7 2" {
		t.Errorf("stored %q, want the old point and the new one", got)
	}
}
