package chart

import (
	"math"
	"slices"

	"stoa.dev/stoa/internal/platform/draw"
	"stoa.dev/stoa/internal/platform/draw/axis"
)

// timeseries is a laid out graph over time.
type timeseries struct {
	frame  *frame
	layers []layer
	legend *legend
	empty  bool
}

// layer is a Layer with colours and, when stacked, its sums.
type layer struct {
	*Layer
	colors []draw.Color
	stack  *stack
	width  float64 // of strokes, device pixels
	alpha  uint8
}

// joinLimit is the longest distance that is always bridged by a line.
const joinLimit = 5 * 60 * 1000

func newTimeseries(s *sheet) *timeseries {
	t := &timeseries{}
	total := 0
	for i := range s.chart.Layers {
		total += len(s.chart.Layers[i].Series)
	}
	extents, first := [2]extent{}, 0
	for i := range s.chart.Layers {
		l := newLayer(s, &s.chart.Layers[i], first, total)
		l.measure(&extents[l.side()])
		first += len(l.Series)
		t.layers = append(t.layers, l)
	}
	left, isLeft := newSide(s.chart.Axis, extents[0], s.chart.Layers, false)
	right, isRight := newSide(s.chart.Right, extents[1], s.chart.Layers, true)
	b := s.body
	t.legend = newLegend(s, t.layers, total)
	b.y1 -= t.legend.height
	if t.frame = newFrame(s, b, left, nil); isRight {
		t.frame = newFrame(s, b, left, &right)
	}
	t.frame.empty, t.empty = !isLeft, !isLeft && !isRight
	return t
}

// newSide is the range of one axis; ok is false without any value.
func newSide(a Axis, e extent, layers []Layer, right bool) (out side, ok bool) {
	out = side{Axis: a, unit: commonUnit(slices.DeleteFunc(slices.Clone(layers), func(l Layer) bool {
		return l.Right != right
	}))}
	out.lo, out.hi, ok = e.bounds(a)
	if ok && a.Kind == axis.Log && a.Min == nil && out.lo > 0 {
		out.lo = math.Pow(10, math.Floor(math.Log10(out.lo)))
	}
	return out, ok
}

func (l *layer) side() int {
	if l.Right {
		return 1
	}
	return 0
}

// newLayer picks colours, stroke width and opacity. Few series are drawn firm,
// many thin and translucent, so that a crowd shows its density and not mud.
func newLayer(s *sheet, l *Layer, first, total int) layer {
	out := layer{Layer: l, alpha: 255, width: s.px(l.Width)}
	if l.Width == 0 {
		out.width = s.px(1.5)
		if total > 10 {
			out.width = s.px(1.15)
		}
	}
	switch {
	case total > 100:
		out.alpha = 110
	case total > 30:
		out.alpha = 160
	case total > 10:
		out.alpha = 215
	}
	for i := range l.Series {
		n, of := first+i, total
		if draw.Known(l.Palette) {
			n, of = i, len(l.Series)
		}
		color := s.visible(draw.SeriesColor(l.Palette, n, of))
		if l.Gray {
			color = s.theme.Background.Mix(s.theme.Neutral, 150)
		}
		out.colors = append(out.colors, color)
	}
	if l.Stacked || l.Display == Bars {
		st := newStack(l.Series, l.Display == Bars)
		out.stack = &st
	}
	return out
}

// measure adds the layer's values to the extent of the axis.
func (l *layer) measure(e *extent) {
	if l.Display != Line || l.stack != nil {
		e.zero = true
	}
	if l.stack == nil {
		for _, sr := range l.Series {
			for _, p := range sr.Points {
				e.add(p.V)
			}
			sr.measureExpected(e)
		}
		return
	}
	for k := range l.stack.hi {
		for i := range l.stack.hi[k] {
			e.add(l.stack.hi[k][i])
			e.add(l.stack.lo[k][i])
		}
	}
}

func (t *timeseries) paint(s *sheet) {
	s.heading()
	t.paintBands(s)
	t.frame.paint(s)
	restore := s.Clip(t.frame.plot.rect())
	t.paintRanges(s)
	for i := range t.layers {
		f := t.frame
		if t.layers[i].Right && f.right != nil {
			f = f.right
		}
		t.layers[i].paint(s, f)
	}
	t.paintLines(s)
	restore()
	t.legend.paint(s)
	if t.empty {
		s.noData(t.frame.plot)
	}
}

func (l *layer) paint(s *sheet, f *frame) {
	switch {
	case l.Display == Bars:
		l.paintBars(s, f)
	case l.stack != nil:
		l.paintStack(s, f)
	default:
		// The first series is painted last: it is the most interesting one.
		for i := len(l.Series) - 1; i >= 0; i-- {
			l.paintBand(s, f, i)
			for _, run := range runs(l.Series[i].finished(), f) {
				if l.Display == Area {
					paintUnder(s, f, run, l.colors[i].Alpha(70))
				}
				l.stroke(s, run, i)
			}
			l.paintUnfinished(s, f, i)
			l.paintAnomalies(s, f, i)
		}
	}
}

// stroke draws one unbroken run of series i; a lone point becomes a dot.
func (l *layer) stroke(s *sheet, run []draw.Point, i int) {
	pen := draw.Pen{Width: l.width, Color: l.colors[i].Alpha(l.alpha), Dash: s.dash(l.Dash, l.width)}
	if len(run) == 1 {
		pen.Width, pen.Dash = max(l.width*1.8, s.px(2.5)), nil
	}
	s.Stroke(run, pen)
}

// paintUnder fills between a run and the zero line.
func paintUnder(s *sheet, f *frame, run []draw.Point, col draw.Color) {
	base := f.y(min(max(0, f.scale.Min), f.scale.Max))
	poly := append(slices.Clone(run), draw.Point{X: run[len(run)-1].X, Y: base}, draw.Point{X: run[0].X, Y: base})
	s.Fill(poly, col)
}

// runs cuts points into unbroken runs and maps them to the picture. All runs lie in one list.
func runs(pts []Point, f *frame) [][]draw.Point {
	limit := breakAfter(pts)
	var out [][]draw.Point
	mapped, begin, last := make([]draw.Point, 0, len(pts)), 0, int64(0)
	end := func() {
		if run := mapped[begin:len(mapped):len(mapped)]; len(run) > 0 {
			out = append(out, thin(run, f.plot.w()))
		}
		begin = len(mapped)
	}
	for _, p := range pts {
		gap := math.IsNaN(p.V) || math.IsInf(p.V, 0)
		if gap || p.T-last > limit {
			end()
		}
		if !gap {
			mapped, last = append(mapped, draw.Point{X: f.x(p.T), Y: f.y(p.V)}), p.T
		}
	}
	end()
	return out
}

// breakAfter is the distance in milliseconds beyond which neighbours are not
// joined.
func breakAfter(pts []Point) int64 {
	if len(pts) < 3 {
		return joinLimit
	}
	d := make([]int64, 0, len(pts)-1)
	for i := 1; i < len(pts); i++ {
		d = append(d, pts[i].T-pts[i-1].T)
	}
	slices.Sort(d)
	return max(joinLimit, d[len(d)/2]*3/2)
}

// thin reduces a run with far more points than pixel columns to the first,
// lowest, highest and last point of each column, which paints the same pixels.
func thin(run []draw.Point, width float64) []draw.Point {
	if float64(len(run)) < width*8 {
		return run
	}
	var out []draw.Point
	for i := 0; i < len(run); {
		col := math.Floor(run[i].X)
		lo, hi, j := i, i, i
		for ; j < len(run) && math.Floor(run[j].X) == col; j++ {
			if run[j].Y < run[lo].Y {
				lo = j
			}
			if run[j].Y > run[hi].Y {
				hi = j
			}
		}
		out = append(out, run[i], run[min(lo, hi)], run[max(lo, hi)], run[j-1])
		i = j
	}
	return out
}
