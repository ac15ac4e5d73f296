package chart

import (
	"math"

	"stoa.dev/stoa/internal/platform/draw"
	"stoa.dev/stoa/internal/platform/draw/axis"
)

// rows is a list of one line per series: a top list or a list of changes.
type rows struct {
	items  []item
	height float64 // of one row
	change bool
	most   float64 // greatest magnitude, the full width of a bar
	column float64 // width of the numbers
}

type item struct {
	Series
	number string
	note   string // second number of a change
	color  draw.Color
	text   draw.Color
}

func newToplist(s *sheet) *rows {
	r := &rows{}
	for li := range s.chart.Layers {
		l := &s.chart.Layers[li]
		for _, sr := range l.Series {
			it := item{
				Series: sr, number: axis.Format(sr.Value, 0, sr.Unit), color: draw.SeriesColor(l.Palette, 0, 1),
				text: s.theme.Text,
			}
			applyFormats(s, sr.Value, &it.color, &it.text, &it.number)
			r.add(s, it)
		}
	}
	r.layout(s)
	return r
}

func newChange(s *sheet) *rows {
	r := &rows{change: true}
	for _, l := range s.chart.Layers {
		for _, sr := range l.Series {
			d := sr.Value - sr.Before
			it := item{
				Series: sr, number: sign(d) + axis.Format(math.Abs(d), 0, sr.Unit),
				note: axis.Format(sr.Value, 0, sr.Unit), color: s.theme.Neutral,
			}
			if sr.Before != 0 && !math.IsNaN(d) {
				it.number += " (" + sign(d) + axis.Format(math.Abs(d/sr.Before)*100, 0, "percent") + ")"
			}
			if d != 0 && !math.IsNaN(d) {
				it.color = s.theme.Bad
				if (d > 0) == s.chart.IncreaseGood {
					it.color = s.theme.Good
				}
			}
			it.text = it.color
			it.Value = d
			applyFormats(s, d, &it.color, &it.text, &it.number)
			r.add(s, it)
		}
	}
	r.layout(s)
	return r
}

func sign(d float64) string {
	switch {
	case d > 0:
		return "+"
	case d < 0:
		return "−"
	default:
		return ""
	}
}

// applyFormats lets the first matching conditional format recolour a number.
func applyFormats(s *sheet, v float64, fill, text *draw.Color, number *string) {
	for _, f := range s.chart.Formats {
		if !f.matches(v) {
			continue
		}
		if f.Fill != nil {
			*fill = *f.Fill
		}
		if f.Text != nil {
			*text = *f.Text
		}
		if f.HideValue {
			*number = ""
		}
		return
	}
}

func (r *rows) add(s *sheet, it item) {
	r.items = append(r.items, it)
	if v := math.Abs(it.Value); !math.IsInf(v, 0) && v > r.most {
		r.most = v
	}
	r.column = max(r.column, s.strong.Width(it.number))
}

func (r *rows) layout(s *sheet) {
	r.height = s.px(24)
	if n := float64(len(r.items)); n > 0 {
		r.height = min(max(s.body.h()/n, s.px(18)), s.px(30))
	}
	r.column = min(r.column, s.body.w()/2)
}

func (r *rows) paint(s *sheet) {
	s.heading()
	if len(r.items) == 0 {
		s.noData(s.body)
		return
	}
	y := s.body.y0
	for i, it := range r.items {
		if y+r.height > s.body.y1+1 {
			s.more(len(r.items)-i, y)
			return
		}
		r.paintRow(s, it, y)
		y += r.height
	}
}

// more says how many rows did not fit.
func (s *sheet) more(n int, y float64) {
	_ = y
	text := "+" + axis.Format(float64(n), 1, "") + " more"
	s.Text(s.small, s.body.x1, s.h-s.px(3), text, s.theme.Muted, draw.Right)
}

func (r *rows) paintRow(s *sheet, it item, y float64) {
	base := y + r.height/2 + s.small.Cap/2
	x := s.body.x0 + r.column + s.px(10)
	if r.change {
		arrow(s, s.body.x0+s.px(5), y+r.height/2, it.Value, it.color)
		x += s.px(16)
		s.Text(s.strong, x-s.px(10), base, it.number, it.text, draw.Right)
		note := s.Text(s.small, s.body.x1, base, it.note, s.theme.Muted, draw.Right)
		s.Text(s.small, x, base, s.small.Fit(it.Name, s.body.x1-x-note-s.px(8)), s.theme.Text, draw.Left)
		return
	}
	track := box{x, y + s.px(2), s.body.x1, y + r.height - s.px(2)}
	s.FillRect(track.rect(), s.theme.Grid.Alpha(140))
	if v := math.Abs(it.Value); r.most > 0 && !math.IsNaN(v) {
		fill := track
		fill.x1 = fill.x0 + max(track.w()*min(v/r.most, 1), s.px(2))
		s.FillRect(fill.rect(), s.theme.Background.Mix(it.color, 110))
		s.FillRect(box{fill.x0, fill.y0, fill.x0 + s.px(3), fill.y1}.rect(), it.color)
	}
	s.Text(s.strong, x-s.px(10), base, it.number, it.text, draw.Right)
	s.Text(s.small, x+s.px(9), base, s.small.Fit(it.Name, track.w()-s.px(14)), s.theme.Text, draw.Left)
}

// arrow points up, down or to the side.
func arrow(s *sheet, x, y, v float64, col draw.Color) {
	d := s.px(4.5)
	switch {
	case v > 0:
		s.Fill([]draw.Point{{X: x - d, Y: y + d*0.7}, {X: x, Y: y - d*0.8}, {X: x + d, Y: y + d*0.7}}, col)
	case v < 0:
		s.Fill([]draw.Point{{X: x - d, Y: y - d*0.7}, {X: x, Y: y + d*0.8}, {X: x + d, Y: y - d*0.7}}, col)
	default:
		s.FillRect(box{x - d, y - s.px(1), x + d, y + s.px(1)}.rect(), col)
	}
}
