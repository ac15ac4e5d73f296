//go:build !small

package metrics_test

import (
	"path/filepath"
	"testing"

	"stoa.dev/stoa/internal/service/snapshots/metrics"
	"stoa.dev/stoa/internal/service/snapshots/query"
)

// TestCompactJoinsBlocks keeps every point of a day, and leaves one block.
func TestCompactJoinsBlocks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := open(t, dir)
	const minutes = 23 * 60
	day := metrics.Series{Metric: "joined"}
	for i := range int64(minutes) {
		day.Samples = append(day.Samples, metrics.Sample{Ms: start + i*60_000, Value: float64(i)})
	}
	write(t, l, day)
	if err := l.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	blocks, err := filepath.Glob(filepath.Join(dir, "points", "0*", "meta.json"))
	if err != nil || len(blocks) != 1 {
		t.Errorf("blocks %v, error %v, want one block", blocks, err)
	}
	found := map[int64]bool{}
	q, err := query.Parse("joined{*}")
	if err != nil {
		t.Fatal(err)
	}
	m, ok := q.Exprs[0].(*query.Metric)
	if !ok {
		t.Fatal("not a metric")
	}
	err = l.Select(t.Context(), "o1",
		query.Selection{Metric: "joined", Scope: m.Scope, From: start, To: start + minutes*60_000},
		func(_ query.Tags, s query.Samples) error {
			for s.Next() {
				at, _ := s.At()
				found[at] = true
			}
			return s.Err()
		})
	if err != nil || len(found) != minutes {
		t.Errorf("%d points of %d, error %v", len(found), minutes, err)
	}
}
