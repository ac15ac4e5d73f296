package query_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"stoa.dev/stoa/internal/service/snapshots/query"
)

// zooms are spans in seconds that have buckets of 5 s, 20 s, 60 s, 300 s and an
// hour.
func zooms() []int64 { return []int64{900, 3600, 4 * 3600, 86400, 7 * 86400} }

func valuesOf(t *testing.T, source memory, text string, from, to int64) []float64 {
	t.Helper()
	q, err := query.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	e := query.Evaluator{Source: source, Limits: query.DefaultLimits()}
	list, err := e.Run(t.Context(), q, query.Range{From: from, To: to})
	if err != nil || len(list) != 1 {
		t.Fatalf("%s: %d series, %v, want one", text, len(list), err)
	}
	return list[0].Values
}

// every is points of one value, one each interval, up to a time.
func every(interval, to int64, v float64) stored {
	s := stored{tags: tags{}, points: map[int64]float64{}}
	for at := int64(0); at < to; at += interval {
		s.points[at] = v
	}
	return s
}

// A steady rate is the same at every zoom, whichever way it was sent.
func TestSteadyRate(t *testing.T) {
	t.Parallel()
	const end = 7 * 86400
	for _, c := range []struct {
		name        string
		kind        query.MetricType
		sent, every int64 // the interval that was sent, and that of the points
		value       float64
	}{
		{"counts of a minute", query.Count, 60, 60, 600},
		{"counts of ten seconds", query.Count, 10, 10, 100},
		{"counts of an interval that divides no bucket", query.Count, 45, 45, 450},
		{"counts of ten minutes", query.Count, 600, 600, 6000},
		{"counts without an interval", query.Count, 0, 60, 600},
		{"rates", query.Rate, 60, 60, 10},
		{"rates of fifteen seconds", query.Rate, 15, 15, 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			source := memory{
				meta: query.Meta{Type: c.kind, Interval: c.sent}, series: []stored{every(c.every, end, c.value)},
			}
			for _, span := range zooms() {
				seen := 0
				for i, v := range valuesOf(t, source, "sum:m{*}.as_rate()", end-span, end) {
					if math.IsNaN(v) {
						continue
					}
					if seen++; math.Abs(v-10) > 1e-9 {
						t.Errorf("over %d s value %d is %g a second, want 10", span, i, v)
						break
					}
				}
				if seen == 0 && span > c.every {
					t.Errorf("over %d s there is no value", span)
				}
			}
		})
	}
}

// Two hosts at 10 and 20 a second are 30 together, and 15 on average.
func TestRatesOfHosts(t *testing.T) {
	t.Parallel()
	const end = 86400
	a, b := every(60, end, 600), every(60, end, 1200)
	a.tags, b.tags = tags{"host": {"a"}}, tags{"host": {"b"}}
	source := memory{meta: query.Meta{Type: query.Count, Interval: 60}, series: []stored{a, b}}
	for _, span := range zooms()[:4] {
		for text, want := range map[string]float64{
			"sum:m{*}.as_rate()": 30, "avg:m{*}.as_rate()": 15, "max:m{*}.as_rate()": 20,
			"sum:m{*}.as_rate().rollup(max, 600)": 30, "sum:m{*}.as_rate().rollup(avg, 600)": 30,
		} {
			for _, v := range valuesOf(t, source, text, end-span, end) {
				if !math.IsNaN(v) && math.Abs(v-want) > 1e-9 {
					t.Errorf("%s over %d s is %g, want %g", text, span, v, want)
					break
				}
			}
		}
	}
}

// Nothing is counted twice or lost by zooming: at every zoom the counts add up
// to what was sent, and the rates times the time of their buckets too.
func TestCountsAddUp(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 3))
			interval := []int64{1, 5, 10, 20, 60}[random.IntN(5)]
			s, total := stored{tags: tags{}, points: map[int64]float64{}}, 0.0
			for at := int64(0); at < 900; at += interval {
				if random.IntN(3) > 0 { // senders leave out what did not happen
					s.points[at] = float64(random.IntN(100))
					total += s.points[at]
				}
			}
			source := memory{meta: query.Meta{Type: query.Count, Interval: interval}, series: []stored{s}}
			for _, seconds := range []int64{5, 20, 60, 300, 900} {
				text := fmt.Sprintf("sum:m{*}.as_count().rollup(sum, %d)", seconds)
				if got := sum(valuesOf(t, source, text, 0, 900)); math.Abs(got-total) > 1e-6 {
					t.Errorf("by %d s the counts are %g, want %g", seconds, got, total)
				}
				text = fmt.Sprintf("sum:m{*}.as_rate().rollup(sum, %d)", seconds)
				each := float64(max(seconds, interval))
				if got := sum(valuesOf(t, source, text, 0, 900)) * each; math.Abs(got-total) > 1e-6 {
					t.Errorf("by %d s the rates stand for %g, want %g", seconds, got, total)
				}
			}
		})
	}
}

func sum(list []float64) float64 {
	out := 0.0
	for _, v := range list {
		if !math.IsNaN(v) {
			out += v
		}
	}
	return out
}
