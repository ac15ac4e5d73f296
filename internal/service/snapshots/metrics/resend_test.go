//go:build !small

package metrics_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/tsdb"

	"stoa.dev/stoa/internal/service/snapshots/metrics"
	"stoa.dev/stoa/internal/service/snapshots/query"
)

// A point replaces the one at its time, newest or old, however often.
func TestSentAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := open(t, dir)
	send := func(points ...metrics.Sample) {
		t.Helper()
		if w := write(t, l, metrics.Series{Metric: "m", Samples: points}); w.TooOld > 0 {
			t.Errorf("%d points were dropped", w.TooOld)
		}
	}
	want := func(text string) {
		t.Helper()
		if got := strings.Join(read(t, l, "m", "*"), "; "); got != text {
			t.Errorf("stored %q, want %q", got, text)
		}
	}
	send(sample(0, 10), sample(10, 10), sample(20, 10))
	send(sample(20, 20))
	want("0=10 10=10 20=20")
	send(sample(0, 20), sample(10, 20), sample(20, 20))
	want("0=20 10=20 20=20")
	for i := range 50 {
		send(sample(10, float64(i)), sample(20, float64(i)))
	}
	want("0=20 10=49 20=49")
	send(sample(30, 1), sample(30, 2), sample(5, 3))
	want("0=20 5=3 10=49 20=49 30=2")
	for range 10_000 / 100 { // a retry of the same value is not a revision
		send(sample(30, 2), sample(10, 49))
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = open(t, dir)
	send(sample(30, 7), sample(10, 8), sample(40, 9))
	want("0=20 5=3 10=8 20=49 30=7 40=9")
	list, err := l.PromQL(t.Context(), "o1", "sum_over_time(m[1s])", query.Range{
		From: start / 1000, To: start/1000 + 2, Interval: 1,
	}, nil)
	if err != nil || len(list) != 1 || list[0].Values[1] != 76 {
		t.Errorf("PromQL = %+v, %v, want the sum of what was sent last, 76", list, err)
	}
}

// One entry of a submission replaces an earlier one about the same series, and a
// series with more tags is another one.
func TestSentAgainWithin(t *testing.T) {
	t.Parallel()
	l := open(t, t.TempDir())
	entry := func(v float64, tags ...string) metrics.Series {
		return metrics.Series{Metric: "m", Tags: tags, Samples: []metrics.Sample{sample(0, v)}}
	}
	write(t, l, entry(1), entry(2, "host:a"), entry(3), entry(4, "host:a", "zone:b"))
	write(t, l, entry(5))
	got := read(t, l, "m", "*", "host", "zone")
	slices.Sort(got)
	if text := strings.Join(got, "; "); text != "host: zone: 0=5; host:a zone: 0=2; host:a zone:b 0=4" {
		t.Errorf("stored %q", text)
	}
}

// Whatever is sent in whatever order, with restarts in between, what was sent
// last for a time is what is read.
func TestSentAgainProperty(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 7))
			dir := t.TempDir()
			l, model := open(t, dir), map[int64]string{}
			for range 120 {
				var batch []metrics.Sample
				for range 1 + random.IntN(5) {
					p := metrics.Sample{Ms: start + 7*int64(random.IntN(80)), Value: float64(random.IntN(4))}
					if model[p.Ms] = fmt.Sprint(p.Value); random.IntN(4) == 0 {
						p.Sketch = query.NewSketch()
						p.Sketch.AddN(2, p.Value+1)
						model[p.Ms] = fmt.Sprintf("%g values", p.Value+1)
					}
					batch = append(batch, p)
				}
				write(t, l, metrics.Series{Metric: "m", Samples: batch})
				if random.IntN(30) == 0 {
					if err := l.Close(); err != nil {
						t.Fatal(err)
					}
					l = open(t, dir)
				}
			}
			if got := stored(t, l); !maps.Equal(got, model) {
				t.Errorf("stored %v\n  want %v", got, model)
			}
		})
	}
}

// stored is what is read of m by time.
func stored(t *testing.T, l *metrics.Local) map[int64]string {
	t.Helper()
	out := map[int64]string{}
	selection := query.Selection{Metric: "m", Scope: query.Everything{}, From: start, To: start + 3_600_000}
	err := l.Select(t.Context(), "o1", selection, func(_ query.Tags, s query.Samples) error {
		for s.Next() {
			ms, v := s.At()
			if out[ms] != "" {
				t.Errorf("two points at %d", ms-start)
			}
			if out[ms] = fmt.Sprint(v); s.Sketch() != nil {
				out[ms] = fmt.Sprintf("%g values", s.Sketch().Count)
			}
		}
		return s.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A folder of an earlier version, which had no revisions, is converted once.
func TestEarlierFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	old, err := tsdb.Open(dir, nil, nil, tsdb.DefaultOptions(), nil)
	if err != nil {
		t.Fatal(err)
	}
	app := old.Appender(t.Context())
	for i := range int64(5) {
		set := labels.FromStrings("__name__", "m", "__org__", "o1", "host", "a")
		if _, err := app.Append(0, set, start+i*1000, float64(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := app.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		l := metrics.NewLocal(metrics.Options{Dir: dir, Retention: 24 * time.Hour})
		if got := strings.Join(read(t, l, "m", "*", "host"), "; "); got != "host:a 0=0 1000=1 2000=2 3000=3 4000=4" {
			t.Errorf("converted %q", got)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 1 {
		t.Errorf("left %v, want the new folder alone", left)
	}
}
