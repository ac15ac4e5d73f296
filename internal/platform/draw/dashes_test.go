package draw_test

import (
	"math"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/draw"
)

// A dashed line costs what is seen of it: its points may lie far outside of the picture, or nowhere.
func TestDashesOutsideCostNothing(t *testing.T) {
	t.Parallel()
	s := studio(t)
	for name, far := range map[string]float64{
		"far": 1e6, "at the largest number": math.MaxFloat64, "infinite": math.Inf(1), "no number": math.NaN(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pts := make([]draw.Point, 2000)
			for i := range pts {
				pts[i] = draw.Point{X: float64(i) / 50, Y: far}
				if i%2 == 1 {
					pts[i].Y = -far
				}
			}
			start := time.Now()
			render(t, s, 40, 30, func(c *draw.Canvas) {
				c.Stroke(pts, draw.Pen{Width: 1, Color: draw.RGB(0), Dash: []float64{0.1, 2}})
			})
			if took := time.Since(start); took > 3*time.Second {
				t.Errorf("took %s", took)
			}
		})
	}
}

// Where a dash lies does not depend on how much of the line is seen.
func TestDashesStayWhereTheyAre(t *testing.T) {
	t.Parallel()
	s := studio(t)
	pts := []draw.Point{{X: -300, Y: -20}, {X: 20, Y: 15}, {X: 21, Y: 700}, {X: 38, Y: -900}, {X: 5, Y: 28}}
	line := func(c *draw.Canvas) {
		c.Stroke(pts, draw.Pen{Width: 1.5, Color: draw.RGB(0), Dash: []float64{5, 3}})
	}
	whole := render(t, s, 40, 30, line)
	for y := range 30 {
		row := render(t, s, 40, 30, func(c *draw.Canvas) {
			defer c.Clip(draw.Rect{X0: 0, Y0: y, X1: 40, Y1: y + 1})()
			line(c)
		})
		for x := range 40 {
			if got, want := ink(row, x, y), ink(whole, x, y); got != want {
				t.Fatalf("pixel %d,%d has ink %v when its row is drawn alone, and %v in the whole", x, y, got, want)
			}
		}
	}
}
