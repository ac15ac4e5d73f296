package chart

import (
	"math"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/platform/draw"
	"stoa.dev/stoa/internal/platform/draw/axis"
)

// queryValue is one large number.
type queryValue struct {
	text       string
	name       string
	face       *draw.Face
	fill, ink  draw.Color
	background bool
}

func newQueryValue(s *sheet) *queryValue {
	q := &queryValue{ink: s.theme.Text, fill: s.theme.Background}
	sr, ok := firstSeries(s.chart.Layers)
	if ok && !math.IsNaN(sr.Value) {
		q.text = axis.Format(sr.Value, 0, sr.Unit)
		if s.chart.Precision >= 0 && !math.IsInf(sr.Value, 0) {
			q.text = fixedDigits(sr.Value, s.chart.Precision, sr.Unit)
		}
		q.name = sr.Name
		q.format(s, sr.Value)
	}
	// The largest size that leaves a margin at both sides, found by halving.
	lo, hi := s.px(10), min(s.body.h()*0.5, s.px(88))
	for hi-lo > 1 {
		mid := (lo + hi) / 2
		if s.renderer.Face(draw.Bold, mid).Width(q.text) <= s.body.w()*0.86 {
			lo = mid
		} else {
			hi = mid
		}
	}
	q.face = s.renderer.Face(draw.Bold, lo)
	return q
}

// format colours the picture as the first matching conditional format says.
func (q *queryValue) format(s *sheet, v float64) {
	f := s.format(v)
	if f == nil {
		return
	}
	if f.Fill != nil {
		q.background, q.fill = *f.Fill != q.fill, *f.Fill
	}
	if f.Text != nil {
		q.ink = *f.Text
	}
	if q.ink = q.ink.On(q.fill); f.HideValue {
		q.text = ""
	}
}

// fixedDigits writes the unit of the automatic form after a number with the
// digits that were asked for.
func fixedDigits(v float64, digits int, u axis.Unit) string {
	if u != "" {
		return axis.Format(v, math.Pow(10, -float64(digits)), u)
	}
	return strings.Replace(strconv.FormatFloat(v, 'f', min(digits, 9), 64), "-", "−", 1)
}

func firstSeries(layers []Layer) (Series, bool) {
	for _, l := range layers {
		if len(l.Series) > 0 {
			return l.Series[0], true
		}
	}
	return Series{}, false
}

func (q *queryValue) paint(s *sheet) {
	if q.background {
		s.FillRect(s.Bounds(), q.fill)
	}
	s.headingInk(q.ink, q.background)
	if q.text == "" {
		s.noData(s.body)
		return
	}
	y := (s.body.y0+s.body.y1)/2 + q.face.Cap/2
	s.Text(q.face, s.w/2, y, q.text, q.ink, draw.Center)
	if q.name != "" && s.chart.Legend != LegendNone && s.body.y1-y > s.px(16) {
		ink := s.theme.Muted
		if q.background {
			ink = q.ink.Alpha(190)
		}
		s.Text(s.small, s.w/2, s.body.y1, s.small.Fit(q.name, s.body.w()), ink, draw.Center)
	}
}

// headingInk draws the title in the colour that fits the background.
func (s *sheet) headingInk(ink draw.Color, coloured bool) {
	if !coloured {
		s.heading()
		return
	}
	old := s.theme.Text
	s.theme.Text = ink
	s.heading()
	s.theme.Text = old
}
