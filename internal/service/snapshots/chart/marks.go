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

// paintLines draws marker lines and all labels above the data.
func (t *timeseries) paintLines(s *sheet) {
	for _, m := range s.chart.Markers {
		if !m.isLine() {
			top := t.frame.plot.y0
			if m.To != nil {
				top = max(top, t.frame.y(*m.To))
			}
			t.markerLabel(s, m, top+s.small.Size*1.3)
			continue
		}
		y, col, width := t.frame.y(*m.From), s.severity(m.Severity), s.px(1.5)
		if m.Bold {
			width = s.px(3)
		}
		y = math.Round(y) + 0.5
		s.Stroke([]draw.Point{{X: t.frame.plot.x0, Y: y}, {X: t.frame.plot.x1, Y: y}},
			draw.Pen{Width: width, Color: col, Dash: s.dash(m.Dash, width)})
		t.markerLabel(s, m, y-s.px(4))
	}
}

func (m Marker) isLine() bool { return m.From != nil && m.To != nil && *m.From == *m.To }

// markerLabel writes the label at the right end, on a patch of background so
// that it stays readable above busy data.
func (t *timeseries) markerLabel(s *sheet, m Marker, base float64) {
	if m.Label == "" {
		return
	}
	text := s.small.Fit(m.Label, t.frame.plot.w()/2)
	if base-s.small.Cap < t.frame.plot.y0 {
		base = t.frame.plot.y0 + s.small.Cap + s.px(4)
	}
	x1 := t.frame.plot.x1 - s.px(4)
	x0 := x1 - s.small.Width(text)
	patch := box{x0 - s.px(3), base - s.small.Cap - s.px(2), x1 + s.px(3), base + s.px(3)}
	s.FillRect(patch.rect(), s.theme.Background.Alpha(200))
	s.Text(s.small, x1, base, text, s.severity(m.Severity), draw.Right)
}
