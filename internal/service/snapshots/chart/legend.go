package chart

import (
	"fmt"
	"math"

	"stoa.dev/stoa/internal/platform/draw"
	"stoa.dev/stoa/internal/platform/draw/axis"
)

// maxLegend is how many series a legend names; more are counted.
const maxLegend = 10

// legend is the strip below the time axis.
type legend struct {
	height float64
	rows   [][]entry
	table  bool
	note   string // instead of names
	more   int    // series that have no row
}

// entry is one named series.
type entry struct {
	name   string
	unit   axis.Unit
	color  draw.Color
	dash   Dash
	filled bool
	x      float64
	sum    summary
}

// summary is the numbers of an expanded legend.
type summary struct{ avg, lo, hi, last float64 }

func newLegend(s *sheet, layers []layer, total int) *legend {
	g := &legend{}
	mode := s.chart.Legend
	if mode == LegendNone || mode == LegendAuto && (s.chart.Height < 160 || total < 2) {
		return g
	}
	var all []entry
	for _, l := range layers {
		for i, sr := range l.Series {
			if sr.Name != "" {
				all = append(all, entry{
					name: sr.Name, unit: sr.Unit, color: l.colors[i], dash: l.Dash, filled: l.Display != Line,
					sum: summarize(sr.Points),
				})
			}
		}
	}
	line := math.Round(s.small.Size * 1.6)
	switch {
	case len(all) == 0:
		return g
	case len(all) > maxLegend:
		g.note = fmt.Sprintf("%d series", len(all))
		g.height = line
	case mode == LegendExpanded && g.columnWidth(s) >= s.px(40):
		g.table = true
		for _, e := range all {
			g.rows = append(g.rows, []entry{e})
		}
		g.height = line * float64(len(g.rows)+1)
	default:
		g.flow(s, all)
		g.height = line * float64(len(g.rows))
	}
	g.shorten(s.body.h()*0.45, line, len(all))
	g.height += s.px(4)
	return g
}

// shorten leaves most of the picture to the data. Series that cannot be named are
// counted.
func (g *legend) shorten(limit, line float64, total int) {
	head := 0
	if g.table {
		head = 1
	}
	fit := int(limit/line) - head
	switch {
	case g.height <= limit:
	case fit > 1:
		g.rows, g.more = g.rows[:fit-1], total
		for _, row := range g.rows {
			g.more -= len(row)
		}
		g.height = line * float64(fit+head)
	case limit >= line:
		g.table, g.rows, g.note, g.height = false, nil, fmt.Sprintf("%d series", total), line
	default:
		*g = legend{}
	}
}

// flow breaks entries into lines.
func (g *legend) flow(s *sheet, all []entry) {
	x := 0.0
	var row []entry
	for _, e := range all {
		e.name = s.small.Fit(e.name, s.body.w()-s.px(20))
		w := s.px(30) + s.small.Width(e.name)
		if x > 0 && x+w-s.px(14) > s.body.w() {
			g.rows = append(g.rows, row)
			row, x = nil, 0
		}
		e.x = x
		row, x = append(row, e), x+w
	}
	g.rows = append(g.rows, row)
}

func (g *legend) paint(s *sheet) {
	line := math.Round(s.small.Size * 1.6)
	y := s.body.y1 - g.height + s.px(4) + line*0.75
	if g.note != "" {
		s.Text(s.small, s.body.x0, y, g.note, s.theme.Muted, draw.Left)
		return
	}
	if g.table {
		for i, name := range []string{"avg", "min", "max", "last"} {
			s.Text(s.small, g.column(s, i), y, name, s.theme.Muted, draw.Right)
		}
		y += line
	}
	for _, row := range g.rows {
		for _, e := range row {
			g.paintEntry(s, e, y)
		}
		y += line
	}
	if g.more > 0 {
		s.Text(s.small, s.body.x0, y, fmt.Sprintf("%d more", g.more), s.theme.Muted, draw.Left)
	}
}

// columnWidth is that of a column of the table; names need a place too.
func (g *legend) columnWidth(s *sheet) float64 { return min(s.px(68), (s.body.w()-s.px(90))/4) }

// column is the right edge of column i of the table.
func (g *legend) column(s *sheet, i int) float64 {
	return s.body.x1 - float64(3-i)*g.columnWidth(s)
}

func (g *legend) paintEntry(s *sheet, e entry, base float64) {
	x, mid := s.body.x0+e.x, base-s.small.Cap/2
	if e.filled {
		s.FillRect(box{x, mid - s.px(4), x + s.px(10), mid + s.px(4)}.rect(), e.color)
	} else {
		w := s.px(2.2)
		s.Stroke([]draw.Point{{X: x + w/2, Y: mid}, {X: x + s.px(10), Y: mid}}, draw.Pen{
			Width: w, Color: e.color, Dash: s.dash(e.dash, s.px(0.5)),
		})
	}
	name := e.name
	if g.table {
		name = s.small.Fit(name, s.body.w()-4*g.columnWidth(s)-s.px(20))
		for i, v := range []float64{e.sum.avg, e.sum.lo, e.sum.hi, e.sum.last} {
			s.Text(s.small, g.column(s, i), base, axis.Format(v, 0, e.unit), s.theme.Text, draw.Right)
		}
	}
	s.Text(s.small, x+s.px(15), base, name, s.theme.Text, draw.Left)
}

// summarize ignores gaps; a series without values is all NaN.
func summarize(pts []Point) summary {
	nan := math.NaN()
	out := summary{nan, nan, nan, nan}
	n, sum := 0.0, 0.0
	for _, p := range pts {
		if math.IsNaN(p.V) || math.IsInf(p.V, 0) {
			continue
		}
		if n == 0 {
			out.lo, out.hi = p.V, p.V
		}
		out.lo, out.hi, out.last = min(out.lo, p.V), max(out.hi, p.V), p.V
		n++
		sum += p.V
	}
	if n > 0 {
		out.avg = sum / n
	}
	return out
}

// commonUnit is the unit that all series share, or none.
func commonUnit(layers []Layer) axis.Unit {
	var unit axis.Unit
	first := true
	for _, l := range layers {
		for _, sr := range l.Series {
			if first {
				unit, first = sr.Unit, false
			} else if sr.Unit != unit {
				return ""
			}
		}
	}
	return unit
}
