package draw

import (
	"math"
	"unicode/utf8"

	"golang.org/x/image/math/fixed"
)

// Align says which end of a text lies at the given position.
type Align int

// Horizontal alignments.
const (
	Left Align = iota
	Center
	Right
)

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
