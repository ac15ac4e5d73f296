package seedfile_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"stoa.dev/stoa/internal/service/snapshots/metrics"
	"stoa.dev/stoa/internal/service/snapshots/query"
	"stoa.dev/stoa/internal/service/snapshots/seedfile"
)

func TestMetrics(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 9, 0, 30, 0, time.UTC)
	list, meta, err := seedfile.Series{Metric: "a.b", Unit: "byte", Step: "10s", Values: []float64{1, 2, 3}}.Metrics(now)
	if err != nil || meta["a.b"].Unit != "byte" || len(list) != 1 || len(list[0].Samples) != 3 {
		t.Fatalf("got %+v, %+v, %v", list, meta, err)
	}
	last := now.Truncate(time.Minute).UnixMilli()
	if s := list[0].Samples; s[2].Ms != last || s[0].Ms != last-20_000 || s[0].Value != 1 {
		t.Errorf("the values are %+v", s)
	}
	for _, bad := range []seedfile.Series{{Metric: "a b"}, {Metric: "a", Step: "x"}, {Metric: "a", End: "soon"}, {
		Metric: "a", Values: []float64{1, 2}, Offsets: []float64{1},
	}, {Metric: "a", Step: "1s", Values: []float64{1}, Offsets: []float64{1}}} {
		if _, _, err := bad.Metrics(now); err == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

// stored is a store with one metric: two series, a distribution and a value that is none.
type stored struct{ metrics.Backend }

func (stored) Names(context.Context, string, int64, int64, string, metrics.ReserveMemory) ([]string, error) {
	return []string{"a"}, nil
}

func (stored) Select(
	_ context.Context, _ string, _ query.Selection, each func(query.Tags, query.Samples) error,
) error {
	return errors.Join(
		each(nil, &walk{at: []int64{1000, 3000, 5000}, v: []float64{1, 2, 3}}),
		each(nil, &walk{at: []int64{1000, 3000, 3500, 5000}, v: []float64{1, 2, math.NaN(), 3}}),
		each(nil, &walk{at: []int64{1000, 2000, 5000}, v: []float64{1, 2, 3}}),
		each(nil, &walk{at: []int64{1000}, v: []float64{1}, sketch: &query.Sketch{}}))
}

type walk struct {
	at     []int64
	v      []float64
	n      int
	sketch *query.Sketch
}

func (w *walk) Next() bool            { w.n++; return w.n <= len(w.at) }
func (w *walk) At() (int64, float64)  { return w.at[w.n-1], w.v[w.n-1] }
func (w *walk) Sketch() *query.Sketch { return w.sketch }
func (w *walk) Err() error            { return nil }

// TestWrittenSeries: what is written of a store means the same times and values.
func TestWrittenSeries(t *testing.T) {
	t.Parallel()
	o := seedfile.Owner{
		Backend: stored{}, User: "mary",
		Meta: func(context.Context, string) (query.Meta, error) {
			return query.Meta{Type: query.Count, Interval: 2}, nil
		},
	}
	list, err := o.AppendSeries(t.Context(), nil)
	if err != nil || len(list) != 3 {
		t.Fatalf("got %+v, %v", list, err)
	}
	for i, want := range [][]int64{{1000, 3000, 5000}, {1000, 3000, 5000}, {1000, 2000, 5000}} {
		if even := i < 2; even != (list[i].Step == "2s") || even != (len(list[i].Offsets) == 0) {
			t.Errorf("series %d: %+v", i, list[i])
		}
		read, meta, err := list[i].Metrics(time.UnixMilli(9000))
		if err != nil || meta["a"] != (query.Meta{Type: query.Count, Interval: 2}) || list[i].User != "mary" {
			t.Fatalf("series %d: %+v, %v", i, meta, err)
		}
		for j, p := range read[0].Samples {
			if p.Ms != want[j] || p.Value != float64(j+1) {
				t.Errorf("series %d: %+v, want the times %v", i, read[0].Samples, want)
			}
		}
	}
}
