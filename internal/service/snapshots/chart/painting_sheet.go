package chart

import (
	"math"
	"time"

	"stoa.dev/stoa/internal/platform/draw"
)

// sheet is the paper of one picture: canvas, scale, colours and type sizes. All
// lengths handed to it are device pixels; px converts logical ones.
type sheet struct {
	*draw.Canvas
	chart    *Chart
	renderer *draw.Renderer
	theme    draw.Theme
	k        float64
	w, h     float64
	small    *draw.Face // tick labels, legend
	strong   *draw.Face // headings in rows
	title    *draw.Face
	body     box // below the title
}

// box is a rectangle with fractional sides.
type box struct{ x0, y0, x1, y1 float64 }

func (b box) w() float64 { return b.x1 - b.x0 }

func (b box) h() float64 { return b.y1 - b.y0 }

// rect is the whole pixels of b.
func (b box) rect() draw.Rect {
	return draw.Rect{
		X0: int(math.Round(b.x0)), Y0: int(math.Round(b.y0)), X1: int(math.Round(b.x1)), Y1: int(math.Round(b.y1)),
	}
}

func (p *Painter) sheet(c *Chart) *sheet {
	if !(c.Scale > 0) {
		c.Scale = 1
	}
	if c.Zone == nil {
		c.Zone = time.UTC
	}
	s := &sheet{chart: c, renderer: p.renderer, theme: draw.Light(), k: c.Scale}
	if c.Dark {
		s.theme = draw.Dark()
	}
	s.w, s.h = float64(c.Width)*s.k, float64(c.Height)*s.k
	size := 11.0
	if c.Width < 400 || c.Height < 200 {
		size = 10
	}
	s.small = p.renderer.Face(draw.Regular, size*s.k)
	s.strong = p.renderer.Face(draw.Bold, size*s.k)
	s.title = p.renderer.Face(draw.Bold, (size+3)*s.k)
	pad := s.px(10)
	s.body = box{pad, pad, s.w - pad, s.h - pad}
	if c.Title != "" {
		s.body.y0 += math.Round(s.title.Size * 1.5)
	}
	return s
}

// px converts logical to device pixels.
func (s *sheet) px(v float64) float64 { return v * s.k }

// heading draws the title, when there is one.
func (s *sheet) heading() {
	if s.chart.Title == "" {
		return
	}
	text := s.title.Fit(s.chart.Title, s.body.w())
	s.Text(s.title, s.body.x0, s.px(10)+s.title.Cap+s.px(1), text, s.theme.Text, draw.Left)
}

// noData says so in the middle of b.
func (s *sheet) noData(b box) {
	text := "No data for this query and time"
	if s.strong.Width(text) > b.w() {
		text = "No data"
	}
	s.Text(s.strong, (b.x0+b.x1)/2, (b.y0+b.y1)/2+s.strong.Cap/2, text, s.theme.Muted, draw.Center)
}

// hline draws a crisp horizontal line of one logical pixel.
func (s *sheet) hline(y, x0, x1 float64, col draw.Color) {
	t := max(1, int(math.Round(s.k)))
	yi := int(math.Round(y)) - t/2
	s.FillRect(draw.Rect{X0: int(math.Round(x0)), Y0: yi, X1: int(math.Round(x1)), Y1: yi + t}, col)
}

// vline draws a crisp vertical line of one logical pixel.
func (s *sheet) vline(x, y0, y1 float64, col draw.Color) {
	t := max(1, int(math.Round(s.k)))
	xi := int(math.Round(x)) - t/2
	s.FillRect(draw.Rect{X0: xi, Y0: int(math.Round(y0)), X1: xi + t, Y1: int(math.Round(y1))}, col)
}

// severity returns the colour of a severity.
func (s *sheet) severity(v Severity) draw.Color {
	switch v {
	case OK:
		return s.theme.Good
	case Warning:
		return s.theme.Warning
	case Error:
		return s.theme.Bad
	default:
		return s.theme.Info
	}
}

// visible lifts colours that would drown in the background.
func (s *sheet) visible(c draw.Color) draw.Color {
	switch {
	case s.theme.Dark && c.Luminance() < 90:
		return c.Mix(draw.RGB(0xffffff), 90)
	case !s.theme.Dark && c.Luminance() > 190:
		return c.Mix(draw.RGB(0x000000), 56)
	default:
		return c
	}
}

// dash returns the pattern in device pixels for a line of the given width.
func (s *sheet) dash(d Dash, width float64) []float64 {
	switch d {
	case Dashed:
		return []float64{s.px(5) + width, s.px(3) + width}
	case Dotted:
		return []float64{0.1, s.px(2) + width}
	default:
		return nil
	}
}
