package chart

import (
	"math"

	"stoa.dev/stoa/internal/platform/draw"
)

// paintBands draws strips of time behind everything else.
func (t *timeseries) paintBands(s *sheet) {
	restore := s.Clip(t.frame.plot.rect())
	defer restore()
	for _, b := range s.chart.Bands {
		col := s.theme.Band
		if b.Severity != "" {
			col = s.severity(b.Severity)
		}
		x0, x1 := t.frame.x(b.From.UnixMilli()), t.frame.x(b.To.UnixMilli())
		// An event at the very end still shows.
		x0 = min(math.Round(x0), math.Round(t.frame.plot.x1)-s.px(5))
		x1 = max(math.Round(x1), x0+s.px(5))
		s.FillRect(box{x0, t.frame.plot.y0, x1, t.frame.plot.y1}.rect(), col.Alpha(52))
		s.vline(x0, t.frame.plot.y0, t.frame.plot.y1, col.Alpha(170))
	}
}

// paintRanges shades marker ranges below the data.
func (t *timeseries) paintRanges(s *sheet) {
	for _, m := range s.chart.Markers {
		if m.isLine() {
			continue
		}
		top, bottom := t.frame.plot.y0, t.frame.plot.y1
		if m.To != nil {
			top = max(top, t.frame.y(*m.To))
		}
		if m.From != nil {
			bottom = min(bottom, t.frame.y(*m.From))
		}
		if top >= bottom {
			continue
		}
		col := s.severity(m.Severity)
		s.FillRect(box{t.frame.plot.x0, top, t.frame.plot.x1, bottom}.rect(), col.Alpha(34))
	}
}

// paintLines draws marker lines, the edges of ranges and all labels above the data.
func (t *timeseries) paintLines(s *sheet) {
	for _, m := range s.chart.Markers {
		col, width := s.severity(m.Severity), s.px(1.5)
		if m.Bold {
			width = s.px(3)
		}
		if m.isLine() {
			t.paintLine(s, *m.From, draw.Pen{Width: width, Color: col, Dash: s.dash(m.Dash, width)})
			t.markerLabel(s, m, t.frame.y(*m.From))
			continue
		}
		top := t.frame.plot.y0
		for _, edge := range []*float64{m.From, m.To} {
			if edge != nil {
				t.paintLine(s, *edge, draw.Pen{Width: s.px(1), Color: col.Alpha(150)})
			}
		}
		if m.To != nil {
			top = max(top, t.frame.y(*m.To))
		}
		t.markerLabel(s, m, top+s.small.Size*1.3+s.px(4))
	}
}

func (t *timeseries) paintLine(s *sheet, v float64, pen draw.Pen) {
	y := math.Round(t.frame.y(v)) + 0.5
	s.Stroke([]draw.Point{{X: t.frame.plot.x0, Y: y}, {X: t.frame.plot.x1, Y: y}}, pen)
}

func (m Marker) isLine() bool { return m.From != nil && m.To != nil && *m.From == *m.To }

// labelPlaces is at how many places along the axis a label is tried.
const labelPlaces = 9

// markerLabel writes the label above a line, where it hides the least of the data,
// and rather at the right. A patch keeps it readable over a grid; over data it has
// an edge only, so that the data is seen between the letters.
func (t *timeseries) markerLabel(s *sheet, m Marker, y float64) {
	if m.Label == "" {
		return
	}
	text := s.small.Fit(m.Label, t.frame.plot.w()/2)
	base := y - s.px(4)
	if base-s.small.Cap < t.frame.plot.y0 {
		base = t.frame.plot.y0 + s.small.Cap + s.px(4)
	}
	width := s.small.Width(text)
	space := t.frame.plot.w() - width - s.px(8)
	var best box
	least := -1
	for i := range labelPlaces {
		x1 := t.frame.plot.x1 - s.px(4) - space*float64(i)/(labelPlaces-1)
		b := box{x1 - width - s.px(3), base - s.small.Cap - s.px(2), x1 + s.px(3), base + s.px(3)}
		if n := t.hidden(b); least < 0 || n < least {
			best, least = b, n
		}
	}
	col := s.severity(m.Severity).On(s.theme.Background)
	if least == 0 {
		s.FillRect(best.rect(), s.theme.Background.Alpha(200))
		s.Text(s.small, best.x1-s.px(3), base, text, col, draw.Right)
		return
	}
	for _, d := range []draw.Point{
		{X: -1, Y: -1}, {Y: -1}, {X: 1, Y: -1}, {X: -1}, {X: 1}, {X: -1, Y: 1}, {Y: 1}, {X: 1, Y: 1},
	} {
		s.Text(s.small, best.x1-s.px(3)+s.px(d.X), base+s.px(d.Y), text, s.theme.Background, draw.Right)
	}
	s.Text(s.small, best.x1-s.px(3), base, text, col, draw.Right)
}

// maxLooked is about how many points hidden looks at: it is asked for every place of every label, in every strip.
const maxLooked = 20_000

// hidden counts what of the data lies below a box; of much data it looks at a part.
func (t *timeseries) hidden(b box) (n int) {
	points := 0
	for i := range t.layers {
		points += t.layers[i].points()
	}
	step := 1 + points/maxLooked
	for i := range t.layers {
		l, f := &t.layers[i], t.frame
		if l.Right && f.right != nil {
			f = f.right
		}
		if l.stack != nil {
			n += l.stack.below(f, b, step)
			continue
		}
		for k := range l.Series {
			for j := 0; j < len(l.Series[k].Points); j += step {
				p := l.Series[k].Points[j]
				x, y := f.x(p.T), f.y(p.V)
				// A line is about as thick as its distance from the next point.
				if x >= b.x0 && x <= b.x1 && y >= b.y0-4 && y <= b.y1+4 {
					n++
				}
			}
		}
	}
	return n
}

// below counts the columns that reach into a box, and looks at one in step of them.
func (st *stack) below(f *frame, b box, step int) (n int) {
	if len(st.hi) == 0 {
		return 0
	}
	top := st.hi[len(st.hi)-1]
	for i := 0; i < len(st.times); i += step {
		if x := f.x(st.times[i]); x >= b.x0-20 && x <= b.x1 && f.y(top[i]) <= b.y1 {
			n++
		}
	}
	return n
}
