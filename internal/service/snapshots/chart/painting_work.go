package chart

import "math"

// Bounds of the time that painting takes, which depends on the values: a line that goes up and down crosses more rows
// of pixels than one that does not.
const (
	// maxCrossed is how many rows of pixels all lines may cross: some ten seconds.
	maxCrossed = 200_000_000
	// maxFilled is how many pixels the boxes around all areas may have.
	maxFilled = 10_000_000_000
)

// checkWork refuses what would take too much time to paint.
func (t *timeseries) checkWork() error {
	var w paintingWork
	for i := range t.layers {
		l, f := &t.layers[i], t.frame
		if l.Right && f.right != nil {
			f = f.right
		}
		w.layer(l, f)
	}
	if w.crossed > maxCrossed || w.filled > maxFilled {
		return &SizeError{"the picture is too large for so many points; ask for a smaller one or for fewer points"}
	}
	return nil
}

// paintingWork counts rows that lines cross, and pixels of the boxes around areas.
type paintingWork struct{ crossed, filled float64 }

func (w *paintingWork) layer(l *layer, f *frame) {
	if l.stack == nil {
		for i := range l.Series {
			points := l.Series[i].Points
			low, high := w.line(f, len(points), func(k int) float64 { return points[k].V })
			if l.Display == Area {
				w.box(f, low, high, f.y(0))
			}
		}
		return
	}
	for i := range l.stack.hi {
		low, high := w.line(f, len(l.stack.hi[i]), func(k int) float64 { return l.stack.hi[i][k] })
		lowest, highest := w.line(f, len(l.stack.lo[i]), func(k int) float64 { return l.stack.lo[i][k] })
		if l.Display == Area {
			w.box(f, min(low, lowest), max(high, highest), low)
		}
	}
}

// line counts the rows that a line crosses within the plot, and returns the first and the last row that it touches.
func (w *paintingWork) line(f *frame, n int, value func(int) float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	last := math.NaN()
	for k := range n {
		y := min(max(f.y(value(k)), f.plot.y0), f.plot.y1)
		if rows := math.Abs(y - last); !math.IsNaN(rows) {
			w.crossed += rows + 1
		}
		if last = y; !math.IsNaN(y) {
			low, high = min(low, y), max(high, y)
		}
	}
	return low, high
}

// box counts the pixels around an area that reaches from a line to a base.
func (w *paintingWork) box(f *frame, low, high, base float64) {
	base = min(max(base, f.plot.y0), f.plot.y1)
	if height := max(high, base) - min(low, base); height > 0 && !math.IsInf(height, 0) {
		w.filled += height * f.plot.w()
	}
}
