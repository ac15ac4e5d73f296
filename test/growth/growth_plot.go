package main

import (
	"fmt"
	"math"
	"time"

	"stoa.dev/stoa/internal/platform/draw"
)

// The picture: one line for each call, the colour that of its kind of rows.
const (
	plotWidth, plotHeight = 900, 560
	plotLeft, plotRight   = 70, 560
	plotTop, plotBottom   = 60, 500
	plotHighest           = 3.0
)

// plot draws how many times longer than at the first size each call takes.
func plot(of results) ([]byte, error) {
	r, err := draw.NewRenderer()
	if err != nil {
		return nil, err
	}
	p := plotter{renderer: r, theme: draw.Light(), sizes: of.Sizes, list: of.Kinds}
	return r.Encode(plotWidth, plotHeight, p.theme.Background, p.paint)
}

type plotter struct {
	renderer *draw.Renderer
	theme    draw.Theme
	sizes    []int64
	list     []grown
}

func (p plotter) paint(c *draw.Canvas) {
	title := p.renderer.Face(draw.Bold, 16)
	small := p.renderer.Face(draw.Regular, 12)
	c.Text(title, plotLeft, 32, "Time of a call, relative to "+count(p.sizes[0])+" rows", p.theme.Text, draw.Left)
	for y := 0.0; y <= plotHighest; y += 0.5 {
		pen := draw.Pen{Width: 1, Color: p.theme.Grid}
		if y == 2 {
			pen = draw.Pen{Width: 1, Color: p.theme.Bad, Dash: []float64{5, 4}}
		}
		c.Stroke([]draw.Point{{X: plotLeft, Y: p.y(y)}, {X: plotRight, Y: p.y(y)}}, pen)
		c.Text(small, plotLeft-8, p.y(y)+4, fmt.Sprintf("%.1f", y), p.theme.Muted, draw.Right)
	}
	for i, n := range p.sizes {
		c.Text(small, p.x(i), plotBottom+22, count(n), p.theme.Muted, draw.Center)
	}
	for k, g := range p.list {
		color := draw.SeriesColor("", k, len(p.list))
		for call := range g.Sizes[0].Calls {
			c.Stroke(p.line(g, call), draw.Pen{Width: 2, Color: color})
		}
		y := float64(plotTop + 12 + k*22)
		c.Stroke([]draw.Point{{X: plotRight + 30, Y: y - 4}, {X: plotRight + 52, Y: y - 4}}, draw.Pen{Width: 3, Color: color})
		c.Text(small, plotRight+60, y, g.Kind, p.theme.Text, draw.Left)
	}
}

// line are the points of a call through the sizes.
func (p plotter) line(g grown, call int) []draw.Point {
	first := g.Sizes[0].Calls[call].Middle
	points := make([]draw.Point, 0, len(g.Sizes))
	for i, m := range g.Sizes {
		points = append(points, draw.Point{X: p.x(i), Y: p.y(ratio(m.Calls[call].Middle, first))})
	}
	return points
}

func ratio(a, b time.Duration) float64 { return float64(a) / max(float64(b), 1) }

// x spreads the sizes by their logarithm.
func (p plotter) x(i int) float64 {
	last := len(p.sizes) - 1
	if last == 0 {
		return plotLeft
	}
	low, high := math.Log(float64(p.sizes[0])), math.Log(float64(p.sizes[last]))
	return plotLeft + (plotRight-plotLeft)*(math.Log(float64(p.sizes[i]))-low)/(high-low)
}

func (p plotter) y(times float64) float64 {
	return plotBottom - (plotBottom-plotTop)*min(times, plotHighest)/plotHighest
}
