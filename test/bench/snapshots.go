package main

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"stoa.dev/stoa/internal/platform/draw"
	"stoa.dev/stoa/internal/service/snapshots/chart"
	"stoa.dev/stoa/test/bench/drive"
)

// snapshotsRows: E's drawing in this process, and the rest over HTTP. The
// module in charts draws the same picture with other libraries.
func snapshotsRows() []row {
	return []row{
		{
			name: "E: draw 800x400 with 1440 points, processor time", run: (*bench).snapshotsDraw, atMost: 1000.0 / 150,
			unit: "ms",
		},
		{name: "E: snapshot request accepted, durable, 64 clients", run: (*bench).snapshotsAccept, atLeast: 0.25},
		{name: "E: submit 2000 points a request, per point, 8 clients", run: (*bench).snapshotsSubmit, atMost: 5, unit: "µs"},
		{name: "E: query a day of 100 series, 1 client", run: (*bench).snapshotsQuery, atMost: 50, unit: "ms"},
	}
}

// snapshotsChart is the picture that charts/ draws with other libraries too.
func snapshotsChart() chart.Chart {
	from := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	s := chart.Series{Name: "load", Interval: time.Minute}
	for i := range 1440 {
		x := float64(i) / 1440
		s.Points = append(s.Points, chart.Point{
			T: from.Add(time.Duration(i) * time.Minute).UnixMilli(), V: 50 + 30*math.Sin(x*12) + 8*math.Sin(x*700),
		})
	}
	return chart.Chart{
		Kind: chart.Timeseries, Title: "Load", Width: 800, Height: 400, From: from, To: from.Add(24 * time.Hour),
		Layers: []chart.Layer{{Display: chart.Line, Series: []chart.Series{s}}},
	}
}

func (b *bench) snapshotsDraw(context.Context) ([]result, error) {
	studio, err := draw.NewRenderer()
	if err != nil {
		return nil, err
	}
	painter, c := chart.NewPainter(studio), snapshotsChart()
	best := math.Inf(1)
	for range b.rounds {
		start, cpu, n := time.Now(), cpuTime(), 0
		for ; time.Since(start) < b.length; n++ {
			if _, err := painter.PNG(c); err != nil {
				return nil, err
			}
		}
		best = min(best, float64((cpuTime()-cpu).Microseconds())/1000/float64(n))
	}
	return []result{{value: best, judged: true}}, nil
}

// startSnapshots returns a server and the two keys as query parameters.
func (b *bench) startSnapshots(ctx context.Context, folder string) (*ours, string, error) {
	o, err := b.startOurs(ctx, b.folder(folder))
	if err != nil {
		return nil, "", err
	}
	keys := url.Values{}
	_, err = o.issue(ctx, "user add", "", map[string][]string{"name": {"bench"}, "password": {benchPassword}})
	for name, kind := range map[string]string{"api_key": "api", "application_key": "application"} {
		var key string
		if err == nil {
			key, err = o.issue(ctx, "key issue", "key", map[string][]string{
				"user": {"bench"}, "service": {"snapshots"}, "kind": {kind},
			})
		}
		keys.Set(name, key)
	}
	if err != nil {
		o.close()
		return nil, "", err
	}
	return o, keys.Encode(), nil
}

func (b *bench) snapshotsAccept(ctx context.Context) ([]result, error) {
	o, keys, err := b.startSnapshots(ctx, "snapshots-accept")
	if err != nil {
		return nil, err
	}
	defer o.close()
	path := "/api/v1/graph/snapshot?metric_query=avg:system.load%7B*%7D&start=1790000000&end=1790003600&" + keys
	body, err := o.get(ctx, path, "")
	if err != nil {
		return nil, err
	}
	bare, stop, err := startBare(ctx, body)
	if err != nil {
		return nil, err
	}
	defer stop()
	against := func(address string) drive.Load {
		text := drive.Request("GET", path, address, "", "")
		return b.load(address, 64, func(int) drive.Source { return drive.Constant(text) })
	}
	c, err := compare(ctx, b.rounds, against(bare), against(o.address()))
	if err != nil {
		return nil, err
	}
	r := ratioResult(c)
	// A durable answer waits for the disk, a bare one does not: only the rate
	// is judged.
	r.bareP99 = max(r.bareP99, r.p99)
	return []result{r}, nil
}

// pointsChain sends the next twenty seconds of a hundred series.
type pointsChain struct {
	host, path string
	client     int64
	second     int64
}

const (
	benchSeries = 100
	benchPoints = 20
)

func (c *pointsChain) Next() []byte {
	var b strings.Builder
	b.WriteString(`{"series":[`)
	for s := range benchSeries {
		if s > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"metric":"bench.load","type":"gauge","host":"h%d-%d","points":[`, c.client, s)
		for p := range int64(benchPoints) {
			if p > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, "[%d,%d.5]", c.second+p, s)
		}
		b.WriteString("]}")
	}
	b.WriteString("]}")
	c.second += benchPoints
	return drive.Request("POST", c.path, c.host, "", b.String())
}

func (c *pointsChain) Seen([]byte) error { return nil }

func (b *bench) snapshotsSubmit(ctx context.Context) ([]result, error) {
	o, keys, err := b.startSnapshots(ctx, "snapshots-submit")
	if err != nil {
		return nil, err
	}
	defer o.close()
	// Times start an hour back and may reach ten minutes ahead, so each client
	// has more than two hundred requests; rounds go on with other hosts.
	var clients atomic.Int64
	l := b.load(o.address(), 8, func(int) drive.Source {
		return &pointsChain{
			host: o.address(), path: "/api/v1/series?" + keys, client: clients.Add(1), second: time.Now().Unix() - 3500,
		}
	})
	s, err := repeat(ctx, b.rounds, l)
	if err != nil {
		return nil, err
	}
	return []result{{value: 1e6 / (s.Rate * benchSeries * benchPoints), judged: true}}, nil
}

func (b *bench) snapshotsQuery(ctx context.Context) ([]result, error) {
	o, keys, err := b.startSnapshots(ctx, "snapshots-query")
	if err != nil {
		return nil, err
	}
	defer o.close()
	if err := o.submitDay(ctx, keys); err != nil {
		return nil, err
	}
	now := time.Now().Unix()
	path := fmt.Sprintf("/api/v1/query?from=%d&to=%d&query=%s&%s", now-86400, now,
		url.QueryEscape("avg:bench.day{*} by {host}"), keys)
	body, err := o.get(ctx, path, "")
	if err != nil {
		return nil, err
	}
	if n := strings.Count(body, `"scope":"host:`); n != benchSeries {
		return nil, fmt.Errorf("the query found %d series, want %d: %.300s", n, benchSeries, body)
	}
	text := drive.Request("GET", path, o.address(), "", "")
	s, err := repeat(ctx, b.rounds, b.load(o.address(), 1, func(int) drive.Source { return drive.Constant(text) }))
	if err != nil {
		return nil, err
	}
	return []result{{value: float64(s.P50.Microseconds()) / 1000, judged: true}}, nil
}

// submitDay sends a day of a hundred series, one point a minute, as OTLP: that
// intake takes points of the past.
func (o *ours) submitDay(ctx context.Context, keys string) error {
	now := time.Now()
	for hour := 24; hour > 0; hour-- {
		var b strings.Builder
		b.WriteString(`{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"bench.day","gauge":{"dataPoints":[`)
		for minute := range 60 {
			at := now.Add(-time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute).UnixNano()
			for s := range benchSeries {
				if minute+s > 0 {
					b.WriteByte(',')
				}
				fmt.Fprintf(&b, `{"timeUnixNano":"%d","asDouble":%d,"attributes":[{"key":"host","value":{"stringValue":"h%d"}}]}`, at, s+minute, s)
			}
		}
		b.WriteString(`]}}]}]}]}`)
		if _, err := o.send(ctx, http.MethodPost, "/v1/metrics?"+keys, "", b.String()); err != nil {
			return err
		}
	}
	return nil
}
