package draw

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zlib"
)

// Pictures up to wholePixels are drawn at once and may get a palette; larger
// ones are drawn in strips of about stripPixels so that memory stays bounded.
const (
	wholePixels = 2 << 20
	stripPixels = 512 << 10
	// MaxSide is the largest width or height of a picture.
	MaxSide = 30000
)

// Renderer holds what pictures share: typefaces with their glyph cache and the
// memory of finished canvases. It is safe for concurrent use; a process needs
// one, but two do not disturb each other.
type Renderer struct {
	fonts    *fontSet
	whole    int // largest picture drawn at once, in pixels
	canvases sync.Pool
	deflate  sync.Pool
}

// NewRenderer parses the embedded typefaces.
func NewRenderer() (*Renderer, error) {
	fonts, err := loadFonts()
	if err != nil {
		return nil, fmt.Errorf("parse embedded fonts: %w", err)
	}
	return &Renderer{fonts: fonts, whole: wholePixels}, nil
}

// Encode draws a picture and returns it as PNG bytes. paint may be called
// several times, once per strip, and must draw the whole picture every time.
func (r *Renderer) Encode(w, h int, background Color, paint func(*Canvas)) ([]byte, error) {
	if w < 1 || h < 1 || w > MaxSide || h > MaxSide {
		return nil, fmt.Errorf("picture of %d by %d pixels: each side must be 1 to %d", w, h, MaxSide)
	}
	rows := h
	if w*h > r.whole {
		rows = max(1, min(stripPixels, r.whole)/w)
	}
	c := r.canvas(w, h, rows)
	defer r.canvases.Put(c)
	z, _ := r.deflate.Get().(*zlib.Writer)
	if z == nil {
		z, _ = zlib.NewWriterLevel(nil, compression) // the level is valid
	}
	defer r.deflate.Put(z)
	var out bytes.Buffer
	p := pngWriter{out: &out, z: z, w: w, h: h}
	for y := 0; y < h; y += rows {
		c.seek(y, min(y+rows, h))
		c.FillRect(c.strip, background)
		paint(c)
		if err := p.strip(c); err != nil {
			return nil, err
		}
	}
	if err := p.close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// canvas takes a used canvas or makes one.
func (r *Renderer) canvas(w, h, rows int) *Canvas {
	c, _ := r.canvases.Get().(*Canvas)
	if c == nil {
		return newCanvas(w, h, 0, rows)
	}
	c.Width, c.Height = w, h
	return c
}
