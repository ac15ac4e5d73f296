package histogram_test

import (
	"math"
	"testing"

	"stoa.dev/stoa/internal/service/snapshots/histogram"
	"stoa.dev/stoa/internal/service/snapshots/query"
)

// TestCells checks that cells cover the range without gaps and lose no value.
func TestCells(t *testing.T) {
	t.Parallel()
	sketch := query.NewSketch()
	const values = 500
	for i := range values {
		sketch.Add(float64(i%37) * 1.7)
	}
	d := query.Distribution{Ms: 1000, Step: 60_000, Sketch: sketch}
	lo, hi := histogram.Bounds([]query.Distribution{d})
	if lo > 0 || hi < 36*1.7 {
		t.Fatalf("bounds %v to %v do not hold 0 to %v", lo, hi, 36*1.7)
	}
	cells := histogram.Cells(sketch, lo, hi, 30, d)
	sum, at := 0.0, lo
	for _, c := range cells {
		if math.Abs(c.Lo-at) > 1e-9 || c.T != d.Ms {
			t.Fatalf("a cell from %v at %d, want from %v at %d", c.Lo, c.T, at, d.Ms)
		}
		sum, at = sum+c.Count, c.Hi
	}
	if len(cells) != 30 || math.Abs(at-hi) > 1e-9 || math.Abs(sum-values) > 1e-6 {
		t.Errorf("%d cells up to %v hold %v values, want 30 up to %v with %d", len(cells), at, sum, hi, values)
	}
	if lo, hi := histogram.Bounds(nil); lo <= hi {
		t.Errorf("nothing has the bounds %v to %v", lo, hi)
	}
}
