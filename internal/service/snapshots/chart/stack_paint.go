package chart

import (
	"math"

	"stoa.dev/stoa/internal/platform/draw"
)

// paintStack draws stacked areas: each series is the strip between its edges,
// with a line on the upper one.
func (l *layer) paintStack(s *sheet, f *frame) {
	spans := l.stack.spans()
	for k := len(l.Series) - 1; k >= 0; k-- {
		for _, sp := range spans {
			var upper, lower []draw.Point
			for i := sp[0]; i < sp[1]; i++ {
				x := f.x(l.stack.times[i])
				upper = append(upper, draw.Point{X: x, Y: f.y(l.stack.hi[k][i])})
				lower = append(lower, draw.Point{X: x, Y: f.y(l.stack.lo[k][i])})
			}
			poly := append([]draw.Point(nil), upper...)
			for i := len(lower) - 1; i >= 0; i-- {
				poly = append(poly, lower[i])
			}
			fill := s.theme.Background.Mix(l.colors[k], 150)
			if l.Display == Line {
				fill = s.theme.Background
			}
			s.Fill(poly, fill.Alpha(235))
			l.alpha = 255
			if n := len(upper); l.unfinished() && n > 1 && sp[1] == len(l.stack.times) {
				l.fade(s, upper[n-2:], lower[n-2:])
				upper = upper[:n-1]
			}
			l.stroke(s, upper, k)
		}
	}
}

// unfinished reports whether the last column may still grow.
func (l *layer) unfinished() bool {
	for i := range l.Series {
		if l.Series[i].Unfinished {
			return true
		}
	}
	return false
}

// fade lightens the strip before a point that may still grow.
func (l *layer) fade(s *sheet, upper, lower []draw.Point) {
	s.Fill([]draw.Point{upper[0], upper[1], lower[1], lower[0]}, s.theme.Background.Alpha(150))
}

// spans returns the index ranges between gaps.
func (st *stack) spans() [][2]int {
	var out [][2]int
	pts := make([]Point, len(st.times))
	for i, t := range st.times {
		pts[i].T = t
	}
	limit, start := breakAfter(pts), -1
	for i := range st.times {
		missing := len(st.hi) == 0 || math.IsNaN(st.hi[0][i])
		if start >= 0 && (missing || st.times[i]-st.times[i-1] > limit) {
			out = append(out, [2]int{start, i})
			start = -1
		}
		if start < 0 && !missing {
			start = i
		}
	}
	if start >= 0 {
		out = append(out, [2]int{start, len(st.times)})
	}
	return out
}

// paintBars draws stacked bars, one per time, with a pixel of air between wide
// ones. Edges are whole pixels so that neighbours never blur into each other.
func (l *layer) paintBars(s *sheet, f *frame) {
	width := l.barWidth(f)
	air := 0.0
	if width >= s.px(4) {
		air = s.px(1)
	}
	for i, t := range l.stack.times {
		x0 := math.Round(f.x(t))
		x1 := max(math.Round(f.x(t)+width)-air, x0+1)
		for k := range l.Series {
			lo, hi := l.stack.lo[k][i], l.stack.hi[k][i]
			if math.IsNaN(hi) || lo == hi {
				continue
			}
			y0, y1 := math.Round(f.y(hi)), math.Round(f.y(lo))
			if y1 <= y0 {
				continue // thinner than a pixel
			}
			col := l.colors[k]
			if i == len(l.stack.times)-1 && l.unfinished() {
				col = s.theme.Background.Mix(col, 110)
			}
			s.FillRect(box{x0, y0, x1, y1}.rect(), col)
		}
	}
}

// barWidth is the interval of the series in pixels.
func (l *layer) barWidth(f *frame) float64 {
	var interval int64
	for _, sr := range l.Series {
		interval = max(interval, sr.Interval.Milliseconds())
	}
	if interval == 0 {
		for i := 1; i < len(l.stack.times); i++ {
			if d := l.stack.times[i] - l.stack.times[i-1]; interval == 0 || d < interval {
				interval = d
			}
		}
	}
	if interval == 0 {
		return f.plot.w() / 20
	}
	return float64(interval) * f.perMS
}
