//go:build !small

package metrics_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/service/snapshots/metrics"
	"stoa.dev/stoa/internal/service/snapshots/query"
)

// start is a time on a whole hour.
const start = int64(1_790_000_000_000) / 3_600_000 * 3_600_000

func TestMain(m *testing.M) {
	if dir := os.Getenv("METRICS_TEST_VICTIM"); dir != "" {
		victim(dir)
		return
	}
	goleak.VerifyTestMain(m)
}

// victim writes points one by one and says which ones were acknowledged, until
// it is killed.
func victim(dir string) {
	l := metrics.NewLocal(metrics.Options{Dir: dir, Retention: 24 * time.Hour})
	for i := range 1_000_000 {
		_, err := l.Write(context.Background(), "o1", []metrics.Series{
			{Metric: "acked", Samples: []metrics.Sample{{Ms: start + int64(i)*1000, Value: float64(i)}}},
		})
		if err != nil {
			fmt.Println("error", err)
			return
		}
		fmt.Println(i)
	}
}

func open(t *testing.T, dir string) *metrics.Local {
	t.Helper()
	l := metrics.NewLocal(metrics.Options{Dir: dir, Retention: 24 * time.Hour})
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func write(t *testing.T, l *metrics.Local, s ...metrics.Series) metrics.Written {
	t.Helper()
	w, err := l.Write(t.Context(), "o1", s)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// read returns "tags-of-keys=values" of every series in scope.
func read(t *testing.T, l *metrics.Local, metric, scope string, keys ...string) []string {
	t.Helper()
	q, err := query.Parse(metric + "{" + scope + "}")
	if err != nil {
		t.Fatal(err)
	}
	m, ok := q.Exprs[0].(*query.Metric)
	if !ok {
		t.Fatal("not a metric")
	}
	var out []string
	err = l.Select(t.Context(), "o1", query.Selection{
		Metric: metric, Scope: m.Scope, From: start, To: start + 3_600_000,
	}, func(tags query.Tags, s query.Samples) error {
		var b strings.Builder
		for _, k := range keys {
			fmt.Fprintf(&b, "%s:%s ", k, strings.Join(tags.Values(k), "|"))
		}
		for s.Next() {
			ms, v := s.At()
			fmt.Fprintf(&b, "%d=%g ", ms-start, v)
		}
		out = append(out, strings.TrimSpace(b.String()))
		return s.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func sample(offset int64, v float64) metrics.Sample {
	return metrics.Sample{Ms: start + offset, Value: v}
}

func TestWriteAndRead(t *testing.T) {
	t.Parallel()
	l := open(t, t.TempDir())
	tags := metrics.Normalize([]string{"Env:Prod", "host:a", "canary", "team:x", "team:y", "a1:z", "a", "a:b"})
	w := write(t, l,
		metrics.Series{
			Metric: "cpu", Tags: tags,
			Samples: []metrics.Sample{sample(2000, 2), sample(1000, 1), sample(1000, 1), sample(2000, 9)},
		},
		metrics.Series{
			Metric: "cpu", Tags: metrics.Normalize([]string{"host:b"}), Samples: []metrics.Sample{sample(0, 5)},
		},
		metrics.Series{Metric: "mem", Samples: []metrics.Sample{sample(0, math.Inf(1))}},
	)
	if w.Stored != 4 || w.TooOld != 0 {
		t.Errorf("written = %+v, want 4 stored", w)
	}
	for _, c := range []struct {
		scope string
		keys  []string
		want  string
	}{
		{"env:prod", []string{"host"}, "host:a 1000=1 2000=9"},
		{"team:x", []string{"team"}, "team:x|y 1000=1 2000=9"},
		{"team:y AND canary", []string{"canary", "a"}, "canary: a:|b 1000=1 2000=9"},
		{"a:b", nil, "1000=1 2000=9"},
		{"host:b", []string{"env"}, "env: 0=5"},
		{"host:c", nil, ""},
	} {
		if got := strings.Join(read(t, l, "cpu", c.scope, c.keys...), "; "); got != c.want {
			t.Errorf("cpu{%s} = %q, want %q", c.scope, got, c.want)
		}
	}
	names, err := l.Names(t.Context(), "o1", start, start+10_000, "", nil)
	if err != nil || strings.Join(names, ",") != "cpu,mem" {
		t.Errorf("names = %v, %v, want cpu and mem", names, err)
	}
	names, err = l.Names(t.Context(), "o1", start, start+10_000, "team:y", nil)
	if err != nil || strings.Join(names, ",") != "cpu" {
		t.Errorf("names with a tag = %v, %v, want cpu", names, err)
	}
}

func TestLatePoints(t *testing.T) {
	t.Parallel()
	l := open(t, t.TempDir())
	write(t, l, metrics.Series{Metric: "m", Samples: []metrics.Sample{sample(3_000_000, 3)}})
	w := write(t, l, metrics.Series{
		Metric: "m", Samples: []metrics.Sample{sample(1000, 1), {Ms: start - 30*3_600_000, Value: 0}},
	})
	if w.Stored != 1 || w.TooOld != 1 {
		t.Errorf("written = %+v, want one stored and one too old", w)
	}
	// The same point again changes nothing, as a client that retries expects.
	write(t, l, metrics.Series{Metric: "m", Samples: []metrics.Sample{sample(1000, 1), sample(3_000_000, 3)}})
	if got := read(t, l, "m", "*"); len(got) != 1 || got[0] != "1000=1 3000000=3" {
		t.Errorf("read %v, want both points once", got)
	}
}

func TestDistributionsRoundTrip(t *testing.T) {
	t.Parallel()
	l := open(t, t.TempDir())
	sk := query.NewSketch()
	for _, v := range []float64{-3, 0, 0.001, 1, 2, 4, 4, 1e9} {
		sk.Add(v)
	}
	write(t, l, metrics.Series{Metric: "d", Samples: []metrics.Sample{{Ms: start, Sketch: sk}}})
	err := l.Select(t.Context(), "o1", query.Selection{
		Metric: "d", Scope: query.Everything{}, From: start, To: start + 1,
	}, func(_ query.Tags, s query.Samples) error {
		if !s.Next() || s.Sketch() == nil {
			t.Fatal("no sketch came back")
		}
		if got, want := fmt.Sprint(s.Sketch().Bins(), s.Sketch().Sum), fmt.Sprint(sk.Bins(), sk.Sum); got != want {
			t.Errorf("sketch = %s, want %s", got, want)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Whatever a sender claims, it is stored as finite bins or refused.
func FuzzProtocols(f *testing.F) {
	fuzztest.Add(f, []byte{}, false)
	fuzztest.Add(
		f,
		[]byte(
			`{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"x",`+
				`"exponentialHistogram":{"aggregationTemporality":1,"dataPoints":[{"timeUnixNano":"1","count":"2",`+
				`"scale":-9,"positive":{"offset":2000000000,"bucketCounts":["1"]}}]}}]}]}]}`,
		),
		true,
	)
	f.Fuzz(func(t *testing.T, b []byte, isJSON bool) {
		list, _, err := metrics.DecodeOTLP(b, isJSON, nil)
		if more, bad := metrics.DecodeRemoteWrite(b, nil); bad == nil {
			list = append(list, more...)
		} else if err != nil {
			return
		}
		for _, s := range list {
			for _, p := range s.Samples {
				if p.Ms < 0 || math.IsNaN(p.Value) {
					t.Fatalf("%s holds %+v", s.Metric, p)
				}
				if p.Sketch == nil {
					continue
				}
				for _, bin := range p.Sketch.Bins() {
					if math.IsInf(bin.Lo, 0) || math.IsInf(bin.Hi, 0) || math.IsNaN(bin.Count) {
						t.Fatalf("%s holds the bin %+v", s.Metric, bin)
					}
				}
			}
		}
	})
}

func TestPromQL(t *testing.T) {
	t.Parallel()
	l := open(t, t.TempDir())
	s := metrics.Series{Metric: "http_requests", Tags: []string{"host:a"}}
	for i := range int64(60) {
		s.Samples = append(s.Samples, sample(i*10_000, float64(i*20)))
	}
	write(t, l, s)
	got, err := l.PromQL(t.Context(), "o1", `sum by (host) (rate(http_requests[1m]))`,
		query.Range{From: start/1000 + 120, To: start/1000 + 180, Interval: 30}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0].Scope != "host:a" || fmt.Sprint(got[0].Values) != "[2 2 2]" {
		t.Errorf("PromQL = %+v, want one series of rate 2", got)
	}
	_, err = l.PromQL(t.Context(), "o1", `sum by (`, query.Range{From: 0, To: 60}, nil)
	if bad, ok := err.(*query.Error); !ok || bad.Column < 2 {
		t.Errorf("error = %v, want a refusal with its column", err)
	}
}

// Nothing of one organization reaches another.
func TestOrganizationsAreApart(t *testing.T) {
	t.Parallel()
	l := open(t, t.TempDir())
	write(t, l, metrics.Series{Metric: "m", Tags: []string{"host:a"}, Samples: []metrics.Sample{sample(0, 1)}})
	err := l.Select(t.Context(), "o2", query.Selection{
		Metric: "m", Scope: query.Everything{}, From: start, To: start + 1000,
	}, func(query.Tags, query.Samples) error {
		t.Error("a series of another organization was selected")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := l.PromQL(t.Context(), "o2", `{__name__=~".+"} or {__org__="o1"}`,
		query.Range{From: start / 1000, To: start/1000 + 60}, nil)
	if err != nil || len(got) != 0 {
		t.Errorf("PromQL of another organization = %v, %v, want nothing", got, err)
	}
	if names, err := l.Names(t.Context(), "o2", start, start+1000, "", nil); err != nil || len(names) != 0 {
		t.Errorf("names of another organization = %v, %v, want none", names, err)
	}
}

func TestOpensOnFirstUse(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "metrics")
	l := open(t, dir)
	if _, err := os.Stat(dir); err == nil || l.Opened() {
		t.Error("the folder exists before the first use")
	}
	write(t, l, metrics.Series{Metric: "m", Samples: []metrics.Sample{sample(0, 1)}})
	if !l.Opened() {
		t.Error("the first write did not open the store")
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder: %v, %v, want it for its owner alone", info.Mode(), err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Write(t.Context(), "o1", nil); err != metrics.ErrClosed {
		t.Errorf("write after close = %v, want ErrClosed", err)
	}
}

func TestConcurrentWriters(t *testing.T) {
	t.Parallel()
	l := open(t, t.TempDir())
	var wg sync.WaitGroup
	for k := range 8 {
		wg.Go(func() {
			for i := range 20 {
				_, err := l.Write(context.Background(), "o1", []metrics.Series{
					{
						Metric: "c", Tags: []string{"writer:" + strconv.Itoa(k)},
						Samples: []metrics.Sample{sample(int64(i)*1000, 1)},
					},
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	got := read(t, l, "c", "*", "writer")
	total := 0
	for _, s := range got {
		total += strings.Count(s, "=")
	}
	if len(got) != 8 || total != 160 {
		t.Errorf("%d series with %d points, want 8 with 160", len(got), total)
	}
}

// Every acknowledged point survives kill -9.
func TestSurvivesKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "METRICS_TEST_VICTIM="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	acked := -1
	for lines := bufio.NewScanner(out); acked < 150 && lines.Scan(); {
		n, err := strconv.Atoi(lines.Text())
		if err != nil {
			t.Fatalf("victim said %q", lines.Text())
		}
		acked = n
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	l := open(t, dir)
	got := read(t, l, "acked", "*")
	if len(got) != 1 || strings.Count(got[0], "=") < acked+1 {
		t.Errorf("%d points after the kill, want at least the %d acknowledged",
			strings.Count(strings.Join(got, ""), "="), acked+1)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"system.cpu_1": true, "a": true, "": false, "1a": false, "a-b": false, "é": false,
		strings.Repeat("a", 201): false,
	} {
		if got := metrics.ValidMetric(name); got != want {
			t.Errorf("ValidMetric(%.20q) = %v, want %v", name, got, want)
		}
	}
	got := metrics.Normalize([]string{" Host:A ", "host:a", "x,y:{z}", "", ":", "b\x00c"})
	if fmt.Sprintf("%q", got) != `["b_c" "host:a" "x_y:_z_"]` {
		t.Errorf("Normalize = %q", got)
	}
}

func BenchmarkWrite(b *testing.B) {
	l := metrics.NewLocal(metrics.Options{Dir: b.TempDir(), Retention: 24 * time.Hour})
	defer func() { _ = l.Close() }()
	const hosts = 100
	batch := make([]metrics.Series, hosts)
	i := int64(0)
	for b.Loop() {
		for h := range batch {
			batch[h] = metrics.Series{Metric: "bench", Tags: []string{"host:" + strconv.Itoa(h)}}
			for k := range int64(10) {
				batch[h].Samples = append(batch[h].Samples, metrics.Sample{
					Ms: start + (i*10+k)*1000, Value: float64(k),
				})
			}
		}
		i++
		if _, err := l.Write(context.Background(), "o1", batch); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*hosts*10/b.Elapsed().Seconds(), "points/s")
}

func BenchmarkDayOf100Series(b *testing.B) {
	l := metrics.NewLocal(metrics.Options{Dir: b.TempDir(), Retention: 48 * time.Hour})
	defer func() { _ = l.Close() }()
	for i := int64(0); i < 24*60; i++ {
		batch := make([]metrics.Series, 100)
		for h := range batch {
			batch[h] = metrics.Series{
				Metric: "bench", Tags: []string{"host:" + strconv.Itoa(h)},
				Samples: []metrics.Sample{sample(i*60_000, float64(i))},
			}
		}
		if _, err := l.Write(context.Background(), "o1", batch); err != nil {
			b.Fatal(err)
		}
	}
	q, _ := query.Parse("avg:bench{*} by {host}")
	e := query.Evaluator{Source: source{l}, Limits: query.DefaultLimits()}
	for b.Loop() {
		got, err := e.Run(context.Background(), q, query.Range{From: start / 1000, To: start/1000 + 86400})
		if err != nil || len(got) != 100 {
			b.Fatal(len(got), err)
		}
	}
}

type source struct{ *metrics.Local }

func (s source) Select(ctx context.Context, sel query.Selection, each func(query.Tags, query.Samples) error) error {
	return s.Local.Select(ctx, "o1", sel, each)
}

func (source) Meta(context.Context, string) (query.Meta, error) { return query.Meta{}, nil }

// The bound on active series is exact, also after the store was opened again.
func TestActiveSeries(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	reopen := func() *metrics.Local {
		return metrics.NewLocal(metrics.Options{
			Dir: dir, Retention: 24 * time.Hour, MaxActive: 10,
		})
	}
	l := reopen()
	submit := func(org string, from, n int) error {
		var list []metrics.Series
		for i := range n {
			list = append(list, metrics.Series{
				Metric: "m", Tags: []string{fmt.Sprintf("host:h%d", from+i)}, Samples: []metrics.Sample{sample(0, 1)},
			})
		}
		list = append(list, list...) // repeated series count once
		_, err := l.Write(t.Context(), org, list)
		return err
	}
	check := func(org string, from, n int, want bool) {
		t.Helper()
		err := submit(org, from, n)
		var full *metrics.ActiveError
		if want && err != nil || !want && !errors.As(err, &full) {
			t.Errorf("%d series from %d: %v, want accepted %t", n, from, err, want)
		}
	}
	check("o1", 0, 8, true)
	check("o1", 8, 3, false)
	check("o1", 8, 2, true)
	check("o1", 10, 1, false)
	check("o2", 0, 10, true)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = reopen()
	t.Cleanup(func() { _ = l.Close() })
	check("o1", 0, 10, true)
	check("o1", 10, 1, false)
	var group sync.WaitGroup
	for range 4 { // writers of the same new series count them once
		group.Go(func() { _ = submit("o3", 0, 10) })
	}
	group.Wait()
	check("o3", 0, 10, true)
	check("o3", 10, 1, false)
}
