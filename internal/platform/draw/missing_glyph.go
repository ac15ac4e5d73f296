package draw

import (
	"math"
	"unicode"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/text/width"
)

// has reports whether the typeface has a shape of its own for a rune.
func (f *Face) has(r rune) bool {
	var b sfnt.Buffer
	i, err := f.cut.GlyphIndex(&b, r)
	return err == nil && i != 0
}

// missing is the shape of a rune that the typeface lacks: a box, as wide as the
// rune would be, so that a text in another script is seen to be there. Marks and
// joiners, which change their neighbours, have no shape.
func (f *Face) missing(r rune) glyph {
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Cc, unicode.Variation_Selector) ||
		r >= 0x1f3fb && r <= 0x1f3ff { // the tones of a face
		return glyph{}
	}
	across := 0.6
	switch k := width.LookupRune(r).Kind(); {
	case k == width.EastAsianWide || k == width.EastAsianFullwidth || r >= 0x1f000 && r <= 0x1faff:
		across = 1
	}
	advance := math.Round(f.Size * across)
	g := glyph{dx: 1, w: int(max(advance-2, 2)), h: int(max(math.Round(f.Cap), 3)), advance: fixed.Int26_6(advance * 64)}
	g.dy = -g.h
	if unicode.IsSpace(r) {
		return glyph{advance: g.advance}
	}
	line := int(max(1, math.Round(f.Size/14)))
	g.alpha = make([]uint8, g.w*g.h)
	for y := range g.h {
		for x := range g.w {
			if x < line || y < line || x >= g.w-line || y >= g.h-line {
				g.alpha[y*g.w+x] = 200
			}
		}
	}
	return g
}
