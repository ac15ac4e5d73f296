package draw

import (
	"image"
	"math"
	"sync"

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
