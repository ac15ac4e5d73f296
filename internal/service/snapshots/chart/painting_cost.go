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
