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
	right *frame // the axis of the right side, nil without one
	empty bool   // there is nothing to read off the axis
}

// side is the range and the unit of one value axis.
type side struct {
	Axis
	lo, hi float64
	unit   axis.Unit
}

// newFrame lays out the axes inside b. The right one may be nil.
func newFrame(s *sheet, b box, left side, right *side) *frame {
	c := s.chart
	f := &frame{unit: left.unit, plot: b}
	f.plot.y1 -= math.Round(s.small.Size * 1.6)
	f.plot.y0 += math.Round(s.small.Cap / 2)
	if left.Label != "" || right != nil && right.Label != "" {
		f.plot.y0 += math.Round(s.small.Size * 1.3)
	}
	f.plot.x0 = math.Round(f.plot.x0 + f.measure(s, left) + s.px(7))
	f.plot.x1 -= s.px(4)
	if right != nil {
		f.right = &frame{unit: right.unit, plot: f.plot}
		f.plot.x1 = math.Round(f.plot.x1 - f.right.measure(s, *right) - s.px(3))
	}
	f.from = float64(c.From.UnixMilli())
	f.perMS = f.plot.w() / max(1, float64(c.To.UnixMilli())-f.from)
	f.times = axis.Times(c.From, c.To, c.Zone, int(f.plot.w()/(s.small.Width("00:00:00")*1.3)))
	if f.right != nil {
		f.right.plot, f.right.from, f.right.perMS = f.plot, f.from, f.perMS
	}
	return f
}

// measure chooses scale and ticks and returns the width of their labels.
func (f *frame) measure(s *sheet, a side) (width float64) {
	n := max(2, int(f.plot.h()/(s.small.Size*3.4)))
	f.scale = axis.Scale{Kind: a.Kind, Exponent: a.Exponent, Min: a.lo, Max: a.hi}
	if f.scale.Kind == "" {
		f.scale.Kind = axis.Linear
	}
	f.round(a.Axis, n)
	f.ticks = axis.Values(f.scale, n, f.unit)
	for _, v := range f.ticks.Values {
		width = max(width, s.small.Width(f.label(v)))
	}
	return width
}

// round moves the ends that the caller left open to whole ticks.
func (f *frame) round(a Axis, n int) {
	lo, hi := axis.Extend(f.scale.Min, f.scale.Max, n, f.unit)
	if f.scale.Kind == axis.Log {
		lo, hi = f.scale.Min, axis.LogCeil(f.scale.Max, f.unit)
	}
	if a.Min == nil {
		f.scale.Min = lo
	}
	if a.Max == nil {
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
	if !f.empty {
		f.eachTick(s, func(y float64, label string) {
			s.hline(y, f.plot.x0, f.plot.x1, s.theme.Grid)
			s.Text(s.small, f.plot.x0-s.px(6), y+s.small.Cap/2, label, s.theme.Muted, draw.Right)
		})
	}
	if f.right != nil {
		f.right.eachTick(s, func(y float64, label string) {
			s.hline(y, f.plot.x1, f.plot.x1+s.px(4), s.theme.Axis)
			s.Text(s.small, f.plot.x1+s.px(6), y+s.small.Cap/2, label, s.theme.Muted, draw.Left)
		})
		s.vline(f.plot.x1, f.plot.y0, f.plot.y1, s.theme.Axis)
	}
	half := s.body.w() / 2
	s.Text(s.small, s.body.x0, s.body.y0+s.small.Cap, s.small.Fit(s.chart.Axis.Label, half), s.theme.Muted, draw.Left)
	if f.right != nil {
		s.Text(s.small, s.body.x1, s.body.y0+s.small.Cap, s.small.Fit(s.chart.Right.Label, half), s.theme.Muted,
			draw.Right)
	}
	f.paintTimes(s)
}

// eachTick calls paint with the place and text of each tick. A curved scale crowds
// ticks at one end: those without space are left out, but not the top one.
func (f *frame) eachTick(s *sheet, paint func(y float64, label string)) {
	if len(f.ticks.Values) == 0 {
		return
	}
	least := s.small.Size * 1.2
	top, last := f.ticks.Values[len(f.ticks.Values)-1], math.Inf(1)
	for _, v := range f.ticks.Values {
		y := f.y(v)
		if math.Abs(last-y) < least || v != top && y-f.y(top) < least {
			continue
		}
		last = y
		paint(y, f.label(v))
	}
}

// paintTimes draws the axis below. The name of its time zone ends the row; a time that has no space before
// it keeps its tick and loses its label.
func (f *frame) paintTimes(s *sheet) {
	base := f.plot.y1 + s.px(6) + s.small.Cap
	zone := s.small.Fit(zoneName(s.chart), s.body.w()/2)
	end := s.w - s.px(4) - s.small.Width(zone)
	s.Text(s.small, end, base, zone, s.theme.Muted, draw.Left)
	for _, m := range f.times {
		x := f.x(m.At.UnixMilli())
		if m.Major && !f.empty {
			s.vline(x, f.plot.y0, f.plot.y1, s.theme.Grid)
		}
		s.vline(x, f.plot.y1, f.plot.y1+s.px(4), s.theme.Axis)
		face, col := s.small, s.theme.Muted
		if m.Major {
			face, col = s.strong, s.theme.Text
		}
		half := face.Width(m.Label) / 2
		if at := max(x, s.body.x0+half); at+half <= end-s.px(6) {
			s.Text(face, at, base, m.Label, col, draw.Center)
		}
	}
	s.hline(f.plot.y1, f.plot.x0, f.plot.x1, s.theme.Axis)
}

// zoneName is the time zone of the axis in short, or the name of its rules where these change
// the short one within the range.
func zoneName(c *Chart) string {
	name := c.From.In(c.Zone).Format("MST")
	switch {
	case name != c.To.In(c.Zone).Format("MST"):
		return c.Zone.String()
	case name[0] == '+' || name[0] == '-':
		return "UTC" + name
	}
	return name
}
