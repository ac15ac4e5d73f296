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
	chip   *draw.Color // behind the number
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
			it.format(s, sr.Value)
			r.add(s, it)
		}
	}
	r.layout(s)
	return r
}

// format colours an item as the first matching conditional format says: the
// number stands on a chip of the colour, the bar has it too.
func (it *item) format(s *sheet, v float64) {
	f := s.format(v)
	if f == nil {
		it.text = it.text.On(s.theme.Background)
		return
	}
	on := s.theme.Background
	if f.Fill != nil {
		on, it.chip = *f.Fill, f.Fill
		// A bar in the colour of the background would not be seen.
		if seen := s.seen(f.Fill, f.Text); seen != nil {
			it.color = *seen
		}
	}
	if f.Text != nil {
		it.text = *f.Text
	}
	if it.text = it.text.On(on); f.HideValue {
		it.number, it.chip = "", nil
	}
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
			it.format(s, d)
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

// format is the first conditional format that matches a value, nil when none does.
func (s *sheet) format(v float64) *Format {
	for i := range s.chart.Formats {
		if s.chart.Formats[i].matches(v) {
			return &s.chart.Formats[i]
		}
	}
	return nil
}

// seen is the first colour that shows on the background, nil when none does.
func (s *sheet) seen(list ...*draw.Color) *draw.Color {
	for _, c := range list {
		if c != nil && draw.Contrast(*c, s.theme.Background) >= 1.5 {
			return c
		}
	}
	return nil
}

// paintNumber writes a number, on its chip when it has one.
func (it *item) paintNumber(s *sheet, x, base float64) {
	if it.chip != nil && it.number != "" {
		w := s.strong.Width(it.number)
		patch := box{x - w - s.px(5), base - s.strong.Cap - s.px(4), x + s.px(5), base + s.px(4)}
		s.FillRect(patch.rect(), *it.chip)
	}
	s.Text(s.strong, x, base, it.number, it.text, draw.Right)
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
			s.more(len(r.items) - i)
			return
		}
		r.paintRow(s, it, y)
		y += r.height
	}
}

// more says how many rows did not fit.
func (s *sheet) more(n int) {
	text := "+" + axis.Format(float64(n), 1, "") + " more"
	s.Text(s.small, s.body.x1, s.h-s.px(3), text, s.theme.Muted, draw.Right)
}

func (r *rows) paintRow(s *sheet, it item, y float64) {
	base := y + r.height/2 + s.small.Cap/2
	x := s.body.x0 + r.column + s.px(10)
	if r.change {
		arrow(s, s.body.x0+s.px(5), y+r.height/2, it.Value, it.color)
		x += s.px(16)
		it.paintNumber(s, x-s.px(10), base)
		note := s.Text(s.small, s.body.x1, base, it.note, s.theme.Muted, draw.Right)
		s.Text(s.small, x, base, s.small.Fit(it.Name, s.body.x1-x-note-s.px(8)), s.theme.Text, draw.Left)
		return
	}
	track := box{x, y + s.px(2), s.body.x1, y + r.height - s.px(2)}
	s.FillRect(track.rect(), s.theme.Grid.Alpha(140))
	if v := math.Abs(it.Value); r.most > 0 && !math.IsNaN(v) {
		fill := track
		fill.x1 = fill.x0 + max(track.w()*min(v/r.most, 1), s.px(2))
		s.FillRect(fill.rect(), s.barColor(it.color))
		s.FillRect(box{fill.x0, fill.y0, fill.x0 + s.px(3), fill.y1}.rect(), it.color)
	}
	it.paintNumber(s, x-s.px(10), base)
	s.Text(s.small, x+s.px(9), base, s.small.Fit(it.Name, track.w()-s.px(14)), s.theme.Text, draw.Left)
}

// barColor is as much of a colour as leaves the name that stands on it readable.
func (s *sheet) barColor(c draw.Color) draw.Color {
	for t := uint32(110); t > 10; t -= 10 {
		if bar := s.theme.Background.Mix(c, t); draw.Contrast(bar, s.theme.Text) >= draw.Readable {
			return bar
		}
	}
	return s.theme.Background.Mix(c, 10)
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
