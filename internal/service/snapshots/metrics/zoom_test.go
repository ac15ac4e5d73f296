//go:build !small

package metrics_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"testing"

	"stoa.dev/stoa/internal/service/snapshots/metrics"
	"stoa.dev/stoa/internal/service/snapshots/query"
)

// of reads a store as if all metrics were of one type, sent every minute.
type of struct {
	*metrics.Local
	kind query.MetricType
}

func (s of) Meta(context.Context, string) (query.Meta, error) {
	return query.Meta{Type: s.kind, Interval: 60}, nil
}

func (s of) Select(ctx context.Context, sel query.Selection, each func(query.Tags, query.Samples) error) error {
	return s.Local.Select(ctx, "o1", sel, each)
}

// Whatever is sent again, out of order and across restarts: at five zooms a count
// is the sum of what was sent last, and a rate is that sum by its seconds.
func TestZoomProperty(t *testing.T) {
	t.Parallel()
	const minutes = 180
	end := start/1000 + minutes*60
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 11))
			dir := t.TempDir()
			l, last := open(t, dir), map[int64]float64{}
			for range 150 {
				var batch []metrics.Sample
				for range 1 + random.IntN(4) {
					minute := int64(random.IntN(minutes))
					last[start/1000+minute*60] = float64(random.IntN(1000))
					batch = append(batch, sample(minute*60_000, last[start/1000+minute*60]))
				}
				write(t, l, metrics.Series{Metric: "m", Samples: batch})
				if random.IntN(40) == 0 {
					if err := l.Close(); err != nil {
						t.Fatal(err)
					}
					l = open(t, dir)
				}
			}
			for _, span := range []int64{900, 3600, 4 * 3600, 86400, 7 * 86400} {
				for _, kind := range []query.MetricType{query.Count, query.Rate} {
					counts, rates := reference(last, kind, span, end)
					if got := zoomed(t, of{l, kind}, "sum:m{*}.as_count()", span, end); !maps.Equal(got, counts) {
						t.Errorf("counts of a %s over %d s: %v\nwant %v", kind, span, got, counts)
					}
					if got := zoomed(t, of{l, kind}, "sum:m{*}.as_rate()", span, end); !maps.Equal(got, rates) {
						t.Errorf("rates of a %s over %d s: %v\nwant %v", kind, span, got, rates)
					}
				}
			}
		})
	}
}

// reference is what the buckets of a zoom hold, by hand: a bucket of less than a
// minute holds one point, which stands for its minute.
func reference(last map[int64]float64, kind query.MetricType, span, end int64) (counts, rates map[int64]string) {
	sums := map[int64]float64{}
	bucket := query.Interval(span, false)
	for at, v := range last {
		if at < end-span || at >= end {
			continue
		}
		if kind == query.Rate {
			v *= 60
		}
		sums[at/bucket*bucket] += v
	}
	counts, rates = map[int64]string{}, map[int64]string{}
	for at, sum := range sums {
		counts[at], rates[at] = rounded(sum), rounded(sum/float64(max(bucket, 60)))
	}
	return counts, rates
}

// zoomed is the values of a query by time.
func zoomed(t *testing.T, source query.Source, text string, span, end int64) map[int64]string {
	t.Helper()
	q, err := query.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	e := query.Evaluator{Source: source, Limits: query.DefaultLimits()}
	list, err := e.Run(t.Context(), q, query.Range{From: end - span, To: end})
	if err != nil {
		t.Fatal(err)
	}
	out := map[int64]string{}
	for _, s := range list {
		for i, v := range s.Values {
			if !math.IsNaN(v) {
				out[(s.Start+int64(i)*s.Step)/1000] = rounded(v)
			}
		}
	}
	return out
}

func rounded(v float64) string { return fmt.Sprintf("%.9g", v) }
