package chart

import (
	"math"

	"stoa.dev/stoa/internal/platform/draw"
	"stoa.dev/stoa/internal/platform/draw/axis"
)

// heatmap shows how values are spread at each time.
type heatmap struct {
	frame   *frame
	palette string
	most    float64
	scaled  bool // the meaning of colours is shown
}

func newHeatmap(s *sheet) *heatmap {
	h := &heatmap{}
	var e extent
	for _, b := range s.chart.Buckets {
		e.add(b.Lo)
		e.add(b.Hi)
		h.most = max(h.most, b.Count)
	}
	if len(s.chart.Layers) > 0 {
		h.palette = s.chart.Layers[0].Palette
	}
	lo, hi, ok := e.bounds(s.chart.Axis)
	b := s.body
	if h.scaled = ok && s.chart.Legend != LegendNone && s.chart.Height >= 160; h.scaled {
		b.y1 -= math.Round(s.small.Size * 1.6)
	}
	h.frame = newFrame(s, b, side{s.chart.Axis, lo, hi, commonUnit(s.chart.Layers)}, nil)
	h.frame.empty = !ok
	return h
}

// paintScale shows below the picture which colour is how many values.
func (h *heatmap) paintScale(s *sheet) {
	base, width := s.body.y1, min(s.px(140), h.frame.plot.w()/2)
	most := axis.Format(h.most, 0, "")
	x1 := h.frame.plot.x1 - s.small.Width(most) - s.px(6)
	bar := box{x1 - width, base - s.small.Cap, x1, base}
	for x := math.Round(bar.x0); x < bar.x1; x++ {
		t := (x - bar.x0) / bar.w()
		s.FillRect(box{x, bar.y0, x + 1, bar.y1}.rect(), draw.Heat(h.palette, s.theme.Dark, uint32(t*256)))
	}
	s.Text(s.small, bar.x0-s.px(6), base, "values: 1", s.theme.Muted, draw.Right)
	s.Text(s.small, x1+s.px(6), base, most, s.theme.Muted, draw.Left)
}

func (h *heatmap) paint(s *sheet) {
	s.heading()
	h.frame.paint(s)
	if len(s.chart.Buckets) == 0 {
		s.noData(h.frame.plot)
		return
	}
	if h.scaled {
		h.paintScale(s)
	}
	restore := s.Clip(h.frame.plot.rect())
	defer restore()
	for _, b := range s.chart.Buckets {
		if !(b.Count > 0) {
			continue
		}
		// Counts spread over orders of magnitude: a root keeps the rare
		// values visible.
		t := math.Sqrt(b.Count / h.most)
		x0, x1 := h.frame.x(b.T), h.frame.x(b.T+b.Interval.Milliseconds())
		y0, y1 := math.Round(h.frame.y(b.Hi)), math.Round(h.frame.y(b.Lo))
		r := box{math.Round(x0), y0, max(math.Round(x1), math.Round(x0)+1), max(y1, y0+1)}
		s.FillRect(r.rect(), draw.Heat(h.palette, s.theme.Dark, uint32(t*256)))
	}
}

// distribution is a histogram of values over the whole time.
type distribution struct {
	plot   box
	values axis.Scale
	counts axis.Scale
	xs, ys axis.Ticks
	unit   axis.Unit
}

func newDistribution(s *sheet) *distribution {
	d := &distribution{unit: commonUnit(s.chart.Layers), plot: s.body}
	lo, hi, most := math.Inf(1), math.Inf(-1), 0.0
	for _, b := range s.chart.Buckets {
		lo, hi, most = min(lo, b.Lo), max(hi, b.Hi), max(most, b.Count)
	}
	if len(s.chart.Buckets) == 0 {
		lo, hi, most = 0, 1, 1
	}
	d.plot.y1 -= math.Round(s.small.Size * 1.6)
	d.plot.y0 += math.Round(s.small.Cap / 2)
	n := max(2, int(d.plot.h()/(s.small.Size*3.4)))
	_, most = axis.Extend(0, most, n, "")
	d.counts = axis.Scale{Kind: axis.Linear, Max: most}
	d.ys = axis.Values(d.counts, n, "")
	width := 0.0
	for _, v := range d.ys.Values {
		width = max(width, s.small.Width(axis.Format(v, d.ys.Step, "")))
	}
	d.plot.x0 = math.Round(d.plot.x0 + width + s.px(7))
	d.plot.x1 -= s.px(4)
	d.values = axis.Scale{Kind: axis.Linear, Min: lo, Max: hi}
	d.xs = axis.Values(d.values, max(2, int(d.plot.w()/s.px(80))), d.unit)
	return d
}

func (d *distribution) paint(s *sheet) {
	s.heading()
	for _, v := range d.ys.Values {
		y := d.plot.y1 - d.counts.Map(v)*d.plot.h()
		s.hline(y, d.plot.x0, d.plot.x1, s.theme.Grid)
		s.Text(s.small, d.plot.x0-s.px(6), y+s.small.Cap/2, axis.Format(v, d.ys.Step, ""), s.theme.Muted, draw.Right)
	}
	palette := ""
	if len(s.chart.Layers) > 0 {
		palette = s.chart.Layers[0].Palette
	}
	for _, b := range s.chart.Buckets {
		x0 := math.Round(d.plot.x0 + d.values.Map(b.Lo)*d.plot.w())
		x1 := math.Round(d.plot.x0 + d.values.Map(b.Hi)*d.plot.w())
		if x1-x0 >= s.px(4) {
			x1 -= s.px(1)
		}
		y := math.Round(d.plot.y1 - d.counts.Map(b.Count)*d.plot.h())
		s.FillRect(box{x0, y, max(x1, x0+1), math.Round(d.plot.y1)}.rect(), draw.SeriesColor(palette, 0, 1))
	}
	for _, v := range d.xs.Values {
		x := d.plot.x0 + d.values.Map(v)*d.plot.w()
		s.vline(x, d.plot.y1, d.plot.y1+s.px(4), s.theme.Axis)
		label := axis.Format(v, d.xs.Step, d.unit)
		half := s.small.Width(label) / 2
		s.Text(s.small, min(x, s.w-s.px(4)-half), d.plot.y1+s.px(6)+s.small.Cap, label, s.theme.Muted, draw.Center)
	}
	s.hline(d.plot.y1, d.plot.x0, d.plot.x1, s.theme.Axis)
	if len(s.chart.Buckets) == 0 {
		s.noData(d.plot)
	}
}
