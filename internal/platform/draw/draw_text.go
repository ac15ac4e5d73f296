package draw

import (
	"image"
	"math"
	"sync"
	"unicode/utf8"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// Weight picks a cut of the typeface.
type Weight int

// The embedded cuts.
const (
	Regular Weight = iota
	Bold
)

// Align says which end of a text lies at the given position.
type Align int

// Horizontal alignments.
const (
	Left Align = iota
	Center
	Right
)

// fontSet is the parsed typefaces and the faces cut from them so far.
type fontSet struct {
	cuts  [2]*opentype.Font
	mu    sync.Mutex
	faces map[faceKey]*Face
}

type faceKey struct {
	weight Weight
	size   float64
}

// maxFaces bounds the cache of sizes; a scale factor and a title size are
// chosen by callers, so the number of sizes is not bounded by nature.
const maxFaces = 64

func loadFonts() (*fontSet, error) {
	f := &fontSet{faces: map[faceKey]*Face{}}
	for i, ttf := range [][]byte{goregular.TTF, gobold.TTF} {
		cut, err := opentype.Parse(ttf)
		if err != nil {
			return nil, err
		}
		f.cuts[i] = cut
	}
	return f, nil
}

// Face returns the typeface at a size in pixels, rounded to quarters.
func (r *Renderer) Face(w Weight, size float64) *Face {
	size = math.Round(min(max(size, 4), 400)*4) / 4
	f := r.fonts
	f.mu.Lock()
	defer f.mu.Unlock()
	k := faceKey{w, size}
	if face, ok := f.faces[k]; ok {
		return face
	}
	// The options are in range, so the error is impossible; a nil face would
	// panic in the first test.
	ot, _ := opentype.NewFace(f.cuts[w], &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone})
	face := &Face{ot: ot, cut: f.cuts[w], Size: size, glyphs: map[glyphKey]glyph{}}
	m := ot.Metrics()
	face.Ascent, face.Cap = float64(m.Ascent)/64, float64(m.CapHeight)/64
	if len(f.faces) >= maxFaces {
		clear(f.faces)
	}
	f.faces[k] = face
	return face
}

// Face is a typeface at one size. It is safe for concurrent use.
type Face struct {
	Size, Ascent, Cap float64
	mu                sync.Mutex
	ot                font.Face
	cut               *opentype.Font
	glyphs            map[glyphKey]glyph
}

// glyphKey names a rune at one of four horizontal sub-pixel positions.
type glyphKey struct {
	r   rune
	sub uint8
}

type glyph struct {
	dx, dy  int // top left of the mask from the origin
	w, h    int
	alpha   []uint8
	advance fixed.Int26_6
}

// maxGlyphs bounds one face's cache: titles hold whatever callers send.
const maxGlyphs = 4096

// glyph returns the cached mask; the caller holds the lock.
func (f *Face) glyph(r rune, sub uint8) glyph {
	k := glyphKey{r, sub}
	if g, ok := f.glyphs[k]; ok {
		return g
	}
	var g glyph
	dr, mask, at, advance, ok := f.ot.Glyph(fixed.Point26_6{X: fixed.Int26_6(sub) * 16}, r)
	switch {
	case !f.has(r):
		g = f.missing(r)
	case ok:
		g = glyph{dx: dr.Min.X, dy: dr.Min.Y, w: dr.Dx(), h: dr.Dy(), advance: advance}
		if a, isAlpha := mask.(*image.Alpha); isAlpha {
			g.alpha = make([]uint8, 0, g.w*g.h)
			for y := range g.h {
				i := a.PixOffset(at.X, at.Y+y)
				g.alpha = append(g.alpha, a.Pix[i:i+g.w]...)
			}
		}
	}
	if len(f.glyphs) >= maxGlyphs {
		clear(f.glyphs)
	}
	f.glyphs[k] = g
	return g
}

// maxText is how many bytes of a text are measured and drawn: more than the
// widest picture shows, and callers send whatever they like.
const maxText = 16 << 10

// shown is the part of a text that is drawn.
func shown(s string) string {
	if len(s) <= maxText {
		return s
	}
	n := maxText
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// Width returns the advance of s in pixels. Of a text of more than 16 KB the rest
// has none.
func (f *Face) Width(s string) float64 {
	s = shown(s)
	f.mu.Lock()
	defer f.mu.Unlock()
	var w fixed.Int26_6
	prev := rune(-1)
	for _, r := range s {
		w += f.kern(prev, r) + f.glyph(r, 0).advance
		prev = r
	}
	return float64(w) / 64
}

func (f *Face) kern(a, b rune) fixed.Int26_6 {
	if a < 0 {
		return 0
	}
	return f.ot.Kern(a, b)
}

// Fit returns s, cut with an ellipsis when it is wider than w pixels.
func (f *Face) Fit(s string, w float64) string {
	if len(s) <= maxText && f.Width(s) <= w {
		return s
	}
	runes := []rune(shown(s))
	lo, hi := 0, len(runes)
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if f.Width(string(runes[:mid])+"…") <= w {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	if lo == 0 {
		return ""
	}
	return string(runes[:lo]) + "…"
}

// Text draws s with its baseline at y and returns its width.
func (c *Canvas) Text(f *Face, x, y float64, s string, col Color, align Align) float64 {
	s = shown(s)
	width := f.Width(s)
	switch align {
	case Left:
	case Center:
		x -= width / 2
	case Right:
		x -= width
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	base := int(math.Round(y))
	pen := fixed.Int26_6(math.Round(x * 64))
	prev := rune(-1)
	for _, r := range s {
		pen += f.kern(prev, r)
		prev = r
		snapped := (pen + 8) &^ 15 // quarters of a pixel
		g := f.glyph(r, uint8(snapped&63)/16)
		c.paintGlyph(g, int(snapped>>6)+g.dx, base+g.dy, col)
		pen += g.advance
	}
	return width
}

func (c *Canvas) paintGlyph(g glyph, x, y int, col Color) {
	if len(g.alpha) == 0 {
		return
	}
	r := Rect{x, y, x + g.w, y + g.h}.Intersect(c.clip)
	if r.Empty() {
		return
	}
	a := opacity(col)
	for py := r.Y0; py < r.Y1; py++ {
		row := c.row(py, r.X0, r.X1)
		alpha := g.alpha[(py-y)*g.w+r.X0-x:]
		for i := range row {
			if m := alpha[i]; m != 0 {
				row[i] = lerp(row[i], uint32(col), weight(m)*a>>8)
			}
		}
	}
}
