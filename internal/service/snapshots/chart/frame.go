package chart

import (
	"math"

	"stoa.dev/stoa/internal/platform/draw"
	"stoa.dev/stoa/internal/platform/draw/axis"
)

// frame is a plot area with a time axis below and a value axis at the left.
type frame struct {
	plot  box
	scale axis.Scale
	ticks axis.Ticks
	unit  axis.Unit
	from  float64 // Unix milliseconds
	perMS float64 // device pixels per millisecond
	times []axis.Moment
}

// newFrame lays out the axes inside b for values between lo and hi.
func newFrame(s *sheet, b box, lo, hi float64, unit axis.Unit) *frame {
	c := s.chart
	f := &frame{unit: unit, plot: b}
	f.plot.y1 -= math.Round(s.small.Size * 1.6)
	f.plot.y0 += math.Round(s.small.Cap / 2)
	if c.Axis.Label != "" {
		f.plot.y0 += math.Round(s.small.Size * 1.3)
	}
	n := max(2, int(f.plot.h()/(s.small.Size*3.4)))
	f.scale = axis.Scale{Kind: c.Axis.Kind, Exponent: c.Axis.Exponent, Min: lo, Max: hi}
	if f.scale.Kind == "" {
		f.scale.Kind = axis.Linear
	}
	f.round(c, n)
	f.ticks = axis.Values(f.scale, n, unit)
	width := 0.0
	for _, v := range f.ticks.Values {
		width = max(width, s.small.Width(f.label(v)))
	}
	f.plot.x0 = math.Round(f.plot.x0 + width + s.px(7))
	f.plot.x1 -= s.px(4)
	f.from = float64(c.From.UnixMilli())
	f.perMS = f.plot.w() / max(1, float64(c.To.UnixMilli())-f.from)
	f.times = axis.Times(c.From, c.To, c.Zone, int(f.plot.w()/(s.small.Width("00:00:00")*1.3)))
	return f
}

// round moves the ends that the caller left open to whole ticks.
func (f *frame) round(c *Chart, n int) {
	if f.scale.Kind == axis.Log {
		return
	}
	lo, hi := axis.Extend(f.scale.Min, f.scale.Max, n, f.unit)
	if c.Axis.Min == nil {
		f.scale.Min = lo
	}
	if c.Axis.Max == nil {
		f.scale.Max = hi
	}
}

func (f *frame) label(v float64) string {
	step := f.ticks.Step
	if f.scale.Kind == axis.Log {
		step = 0
	}
	return axis.Format(v, step, f.unit)
}

// x and y map time and value to device pixels.
func (f *frame) x(ms int64) float64 { return f.plot.x0 + float64((float64(ms)-f.from)*f.perMS) }

func (f *frame) y(v float64) float64 {
	t := f.scale.Map(v)
	// Far outside the picture the exact place does not matter, but the
	// arithmetic of strokes must not overflow.
	t = min(max(t, -50), 50)
	return f.plot.y1 - float64(t*f.plot.h())
}

// paint draws grid, ticks and labels.
func (f *frame) paint(s *sheet) {
	last := math.Inf(1)
	for _, v := range f.ticks.Values {
		y := f.y(v)
		// A curved scale crowds ticks at one end: those without space are left out.
		if math.Abs(last-y) < s.small.Size*1.2 {
			continue
		}
		last = y
		s.hline(y, f.plot.x0, f.plot.x1, s.theme.Grid)
		s.Text(s.small, f.plot.x0-s.px(6), y+s.small.Cap/2, f.label(v), s.theme.Muted, draw.Right)
	}
	if s.chart.Axis.Label != "" {
		s.Text(s.small, s.body.x0, s.body.y0+s.small.Cap, s.small.Fit(s.chart.Axis.Label, s.body.w()), s.theme.Muted,
			draw.Left)
	}
	base := f.plot.y1 + s.px(6) + s.small.Cap
	for _, m := range f.times {
		x := f.x(m.At.UnixMilli())
		if m.Major {
			s.vline(x, f.plot.y0, f.plot.y1, s.theme.Grid)
		}
		s.vline(x, f.plot.y1, f.plot.y1+s.px(4), s.theme.Axis)
		face, col := s.small, s.theme.Muted
		if m.Major {
			face, col = s.strong, s.theme.Text
		}
		half := face.Width(m.Label) / 2
		s.Text(face, min(max(x, s.body.x0+half), s.w-s.px(4)-half), base, m.Label, col, draw.Center)
	}
	s.hline(f.plot.y1, f.plot.x0, f.plot.x1, s.theme.Axis)
}
