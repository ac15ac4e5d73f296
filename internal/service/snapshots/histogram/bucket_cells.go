package histogram

import (
	"math"
	"time"

	"stoa.dev/stoa/internal/platform/draw/axis"
	"stoa.dev/stoa/internal/service/snapshots/chart"
	"stoa.dev/stoa/internal/service/snapshots/query"
)

// Bounds is the range of all values, rounded outwards to whole steps.
func Bounds(all []query.Distribution) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, sp := range all {
		for _, b := range sp.Sketch.Bins() {
			lo, hi = min(lo, b.Lo), max(hi, b.Hi)
		}
	}
	if lo > hi {
		return lo, hi
	}
	if lo > 0 && lo < hi/2 {
		lo = 0
	}
	if hi-lo < 1e-9*math.Abs(hi) || hi == lo {
		return lo - 0.5, hi + 0.5
	}
	return axis.Extend(lo, hi, 8, "")
}

// Cells sorts the bins of a sketch into n equal rows between lo and hi. A bin
// wider than a row is shared out by the part that falls into each.
func Cells(sk *query.Sketch, lo, hi float64, n int, at query.Distribution) []chart.Bucket {
	height := (hi - lo) / float64(n)
	counts := make([]float64, n)
	for _, b := range sk.Bins() {
		first := min(max(int((b.Lo-lo)/height), 0), n-1)
		last := min(max(int((b.Hi-lo)/height), first), n-1)
		if b.Hi <= b.Lo || first == last {
			counts[first] += b.Count
			continue
		}
		for i := first; i <= last; i++ {
			from, to := lo+float64(i)*height, lo+float64(i+1)*height
			counts[i] += b.Count * max(0, min(b.Hi, to)-max(b.Lo, from)) / (b.Hi - b.Lo)
		}
	}
	var out []chart.Bucket
	for i, count := range counts {
		out = append(out, chart.Bucket{
			T: at.Ms, Interval: time.Duration(at.Step) * time.Millisecond,
			Lo: lo + float64(i)*height, Hi: lo + float64(i+1)*height, Count: count,
		})
	}
	return out
}
