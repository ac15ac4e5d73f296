package chart

import (
	"math"
	"slices"

	"stoa.dev/stoa/internal/platform/draw"
)

// measureExpected adds what is expected to the extent of the axis.
func (sr *Series) measureExpected(e *extent) {
	for _, p := range sr.Expected {
		e.add(p.V)
	}
	if sr.Band == nil {
		return
	}
	for _, edge := range [][]Point{sr.Band.Lower, sr.Band.Upper} {
		for _, p := range edge {
			e.add(p.V)
		}
	}
}

// finished is the points without the last one while that may grow.
func (sr *Series) finished() []Point {
	if n := len(sr.Points); sr.Unfinished && n > 1 {
		return sr.Points[:n-1]
	}
	return sr.Points
}

// paintBand shades where the values of series i are expected, and continues it.
func (l *layer) paintBand(s *sheet, f *frame, i int) {
	sr := &l.Series[i]
	if sr.Band != nil {
		lower, upper := runs(sr.Band.Lower, f), runs(sr.Band.Upper, f)
		for k := range min(len(lower), len(upper)) {
			edge := slices.Clone(lower[k])
			slices.Reverse(edge)
			s.Fill(append(slices.Clone(upper[k]), edge...), l.bandColor(s, i))
		}
	}
	for _, run := range runs(sr.Expected, f) {
		s.Stroke(run, draw.Pen{Width: l.width, Color: l.colors[i], Dash: s.dash(Dashed, l.width)})
	}
}

// bandColor is gray behind what is judged, so that anomalies stand out, and the
// series' own around a forecast.
func (l *layer) bandColor(s *sheet, i int) draw.Color {
	if l.Series[i].Judged {
		return s.theme.Neutral.Alpha(72)
	}
	return l.colors[i].Alpha(56)
}

// paintUnfinished draws the way to a point that may still grow, thin and dotted.
func (l *layer) paintUnfinished(s *sheet, f *frame, i int) {
	sr := &l.Series[i]
	n := len(sr.Points)
	if !sr.Unfinished || n < 2 {
		return
	}
	a, b := sr.Points[n-2], sr.Points[n-1]
	if math.IsNaN(a.V+b.V) || math.IsInf(a.V+b.V, 0) {
		return
	}
	s.Stroke([]draw.Point{{X: f.x(a.T), Y: f.y(a.V)}, {X: f.x(b.T), Y: f.y(b.V)}}, draw.Pen{
		Width: max(l.width*0.8, s.px(1)), Color: l.colors[i].Alpha(150), Dash: s.dash(Dotted, l.width),
	})
}

// paintAnomalies draws the parts of a judged series that lie outside of its band
// in the colour of failures.
func (l *layer) paintAnomalies(s *sheet, f *frame, i int) {
	sr := &l.Series[i]
	if !sr.Judged || sr.Band == nil {
		return
	}
	inside := map[int64]bool{}
	for k := range min(len(sr.Band.Lower), len(sr.Band.Upper)) {
		lo, hi := sr.Band.Lower[k], sr.Band.Upper[k]
		at, ok := slices.BinarySearchFunc(sr.Points, lo.T, func(p Point, t int64) int { return int(p.T - t) })
		inside[lo.T] = ok && sr.Points[at].V >= lo.V && sr.Points[at].V <= hi.V
	}
	odd := slices.Clone(sr.Points)
	for k := range odd {
		// A point inside still begins or ends a part that is outside.
		near := k > 0 && !inside[odd[k-1].T] || k+1 < len(odd) && !inside[odd[k+1].T]
		if inside[odd[k].T] && !near {
			odd[k].V = math.NaN()
		}
	}
	for _, run := range runs(odd, f) {
		s.Stroke(run, draw.Pen{Width: max(l.width*1.25, s.px(2)), Color: s.theme.Bad})
	}
}
