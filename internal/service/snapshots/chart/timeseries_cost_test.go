package chart

import (
	"math"
	"runtime"
	"testing"

	"stoa.dev/stoa/internal/platform/draw/axis"
)

// TestRuns: a line breaks where values are missing, and however often it does its points are kept once. It is alone:
// it counts what the process takes.
func TestRuns(t *testing.T) {
	f := &frame{plot: box{0, 0, 1e6, 100}, scale: axis.Scale{Kind: axis.Linear, Max: 1}, perMS: 1}
	const minute = 60_000
	short := []Point{{0, 1}, {minute, math.NaN()}, {2 * minute, 1}, {3 * minute, 1}, {60 * minute, 1}}
	if got := runs(short, f); len(got) != 3 || len(got[0]) != 1 || len(got[1]) != 2 || len(got[2]) != 1 {
		t.Errorf("runs: %v, want one, two and one points", got)
	}
	var pts []Point
	for i := range int64(4000) {
		pts = append(pts, Point{i/2*20*minute + i%2*minute, 1})
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := runs(pts, f)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; len(got) != 2000 || took > 4<<20 {
		t.Errorf("%d runs of 4000 points take %d bytes", len(got), took)
	}
}

// TestHiddenIsBounded: where labels are placed costs the same for much data as for some.
func TestHiddenIsBounded(t *testing.T) {
	t.Parallel()
	f := &frame{plot: box{0, 0, 1e6, 100}, scale: axis.Scale{Kind: axis.Linear, Max: 1}, perMS: 1}
	few := make([]Point, 1000)
	many := make([]Point, 100*maxLooked)
	for name, row := range map[string]struct {
		points    []Point
		low, high int
	}{"few": {few, len(few), len(few)}, "many": {many, maxLooked / 2, maxLooked}} {
		series := []Series{{Points: row.points}}
		stacked := stack{times: make([]int64, len(row.points)), hi: [][]float64{make([]float64, len(row.points))}}
		for _, l := range []layer{{Layer: &Layer{Series: series}}, {Layer: &Layer{Series: series}, stack: &stacked}} {
			drawn := timeseries{frame: f, layers: []layer{l}}
			if n := drawn.hidden(box{-1, -1, 1, 101}); n < row.low || n > row.high {
				t.Errorf("%s: %d, want %d to %d", name, n, row.low, row.high)
			}
		}
	}
}
