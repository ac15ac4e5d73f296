package chart

import (
	"math"
	"slices"
)

// Bounds of what a picture is made of.
const (
	// maxStacked is how many edges a stacked layer may have: each series has one
	// at the times of all.
	maxStacked = 3_000_000
	// maxPainted bounds the points that are painted: a tall picture is painted in
	// strips, each with all points.
	maxPainted = 200_000_000
	// stripPixels is how many pixels are painted at once, about.
	stripPixels = 512 << 10
)

// SizeError means that a picture would take too much memory or time.
type SizeError struct{ Reason string }

// Error says what was too much.
func (e *SizeError) Error() string { return e.Reason }

// pixels is the size of the PNG.
func (c *Chart) pixels() float64 {
	k := max(c.Scale, 1)
	return math.Ceil(float64(c.Width)*k) * math.Ceil(float64(c.Height)*k)
}

// points is how many points all layers have.
func (c *Chart) points() (n int) {
	for i := range c.Layers {
		n += c.Layers[i].points()
	}
	return n
}

func (l *Layer) points() (n int) {
	for i := range l.Series {
		n += len(l.Series[i].Points)
	}
	return n
}

// Bytes estimates the memory that painting takes: pixels, the file, and what is
// made of points and cells.
func (c *Chart) Bytes() int64 {
	const canvas, file, point, cell, edge = 9, 0.25, 64, 64, 48
	n := canvas*min(c.pixels(), 4*stripPixels) + file*c.pixels()
	for i := range c.Layers {
		l := &c.Layers[i]
		n += point * float64(l.points())
		if l.Stacked || l.Display == Bars {
			n += edge * min(float64(len(l.Series))*float64(l.points()), maxStacked)
		}
	}
	return int64(n) + cell*int64(len(c.Buckets))
}

// check refuses what would take too much memory or time to paint.
func (c *Chart) check() error {
	if strips := c.pixels()/stripPixels + 1; strips*float64(c.points()+len(c.Buckets)) > maxPainted {
		return &SizeError{"the picture is too large for so many points; ask for a smaller one or for fewer points"}
	}
	for i := range c.Layers {
		l := &c.Layers[i]
		if !l.Stacked && l.Display != Bars || len(l.Series)*l.points() <= maxStacked {
			continue
		}
		if len(l.Series)*l.times() > maxStacked {
			return &SizeError{"too many series at too many times are stacked; ask for fewer, or for equal rollups"}
		}
	}
	return nil
}

// times is how many different times the points of a layer have.
func (l *Layer) times() int {
	all := make([]int64, 0, l.points())
	for i := range l.Series {
		for _, p := range l.Series[i].Points {
			all = append(all, p.T)
		}
	}
	slices.Sort(all)
	return len(slices.Compact(all))
}

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
