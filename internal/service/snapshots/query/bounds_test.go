package query_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/service/snapshots/query"
)

// many is a source of n series with a value in each of 1500 seconds.
func many(n int) memory {
	values := make([]float64, 150)
	for i := range values {
		values[i] = float64(i)
	}
	var m memory
	for i := range n {
		m.series = append(m.series, series(tags{"host": {fmt.Sprint("h", i)}}, values...))
	}
	return m
}

// An evaluation is refused before it takes the time or the memory.
func TestWorkAndMemoryAreBounded(t *testing.T) {
	t.Parallel()
	none := errors.New("no memory")
	for _, row := range []struct{ text, want string }{
		{"moving_rollup(m{*} by {host}.rollup(avg, 1), 1500, 'median')", "looks at more than"},
		{"moving_rollup(m{*} by {host}.rollup(avg, 1), 30, 'avg')", ""},
		{"robust_trend(m{*} by {host})", ""},
		{"robust_trend(robust_trend(robust_trend(robust_trend(m{*} by {host}))))", "looks at more than"},
		{
			"m{*} by {host}.rollup(avg, 1)" + strings.Repeat(" + m{*} by {host}.rollup(avg, 1)", 8),
			"more than 3000000 values",
		},
	} {
		q, err := query.Parse(row.text)
		if err != nil {
			t.Fatal(err)
		}
		taken := int64(0)
		e := query.Evaluator{
			Source: many(240), Limits: query.DefaultLimits(), Reserve: func(n int64) error { taken += n; return nil },
		}
		_, err = e.Run(t.Context(), q, query.Range{From: 0, To: 1500})
		if got := fmt.Sprint(err); row.want == "" && err != nil || !strings.Contains(got, row.want) {
			t.Errorf("%.60s: %v, want %q", row.text, err, row.want)
		}
		if taken < 240*8 {
			t.Errorf("%.60s: %d bytes were taken, want those of its groups", row.text, taken)
		}
		e.Reserve = func(int64) error { return none }
		if _, err := e.Run(t.Context(), q, query.Range{From: 0, To: 1500}); !errors.Is(err, none) {
			t.Errorf("%.60s: %v, want the refusal of the pool", row.text, err)
		}
	}
}

// A refusal copies little of the text. The test measures the process and is not
// parallel.
func TestRefusalsAreSmall(t *testing.T) {
	text := "avg:x{*} + " + strings.Repeat("é", 10<<20)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := query.Parse(text)
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; err == nil || got > 64<<10 {
		t.Errorf("err = %.200v, %d bytes allocated, want a refusal with few", err, got)
	}
}

func TestCollapse(t *testing.T) {
	t.Parallel()
	sk := query.NewSketch()
	for i := range 3 * query.MaxBins {
		sk.Add(query.Bound(int32(i)))
	}
	want := sk.Quantile(0.99)
	sk.Collapse()
	if len(sk.Positive) != query.MaxBins || sk.Count != 3*query.MaxBins || sk.Quantile(0.99) != want {
		t.Errorf("%d bins, count %g, p99 %g; want %d, %d, %g", len(sk.Positive), sk.Count, sk.Quantile(0.99),
			query.MaxBins, 3*query.MaxBins, want)
	}
}
