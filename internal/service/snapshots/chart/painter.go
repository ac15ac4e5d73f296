package chart

import (
	"fmt"
	"math"

	"stoa.dev/stoa/internal/platform/draw"
)

// Painter paints charts. It is safe for concurrent use.
type Painter struct{ renderer *draw.Renderer }

// NewPainter returns a painter that draws with the renderer's typefaces.
func NewPainter(s *draw.Renderer) *Painter { return &Painter{renderer: s} }

// PNG paints the chart. Equal charts give equal bytes. A chart that is too large
// is a *SizeError.
func (p *Painter) PNG(c Chart) ([]byte, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	s := p.sheet(&c)
	var paint func(*sheet)
	switch c.Kind {
	case Timeseries, "":
		t := newTimeseries(s)
		if err := t.checkWork(); err != nil {
			return nil, err
		}
		paint = t.paint
	case Heatmap:
		paint = newHeatmap(s).paint
	case Distribution:
		paint = newDistribution(s).paint
	case Toplist:
		paint = newToplist(s).paint
	case Change:
		paint = newChange(s).paint
	case QueryValue:
		paint = newQueryValue(s).paint
	default:
		return nil, fmt.Errorf("unknown kind of chart %q", c.Kind)
	}
	w, h := int(math.Round(float64(c.Width)*s.k)), int(math.Round(float64(c.Height)*s.k))
	return p.renderer.Encode(w, h, s.theme.Background, func(cv *draw.Canvas) {
		s.Canvas = cv
		paint(s)
	})
}
