package draw

import (
	"fmt"
	"math"
	"strconv"
)

// Color is a straight (not premultiplied) colour written 0xAARRGGBB.
type Color uint32

// RGB returns the opaque colour 0xRRGGBB.
func RGB(hex uint32) Color { return Color(0xff000000 | hex&0xffffff) }

// Alpha returns c with the given opacity, 0 to 255.
func (c Color) Alpha(a uint8) Color { return c&0xffffff | Color(a)<<24 }

// Opacity returns the alpha of c.
func (c Color) Opacity() uint8 { return uint8(c >> 24) }

// Mix returns the opaque colour t parts of the way from c to d; t is 0 to 256.
func (c Color) Mix(d Color, t uint32) Color {
	return RGB(lerp(uint32(c), uint32(d), min(t, 256)))
}

// Luminance returns the perceived brightness of c from 0 to 255, used to choose
// a readable text colour on top of it.
func (c Color) Luminance() uint32 {
	r, g, b := uint32(c)>>16&0xff, uint32(c)>>8&0xff, uint32(c)&0xff
	return (r*54 + g*183 + b*19) >> 8
}

// Contrast is how far two opaque colours are apart, from 1 to 21, as the
// guidelines for accessible web content count it.
func Contrast(a, b Color) float64 {
	hi, lo := a.light(), b.light()
	if hi < lo {
		hi, lo = lo, hi
	}
	return (hi + 0.05) / (lo + 0.05)
}

// light is the relative luminance, 0 to 1.
func (c Color) light() float64 {
	channel := func(shift uint) float64 {
		v := float64(uint32(c)>>shift&0xff) / 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*channel(16) + 0.7152*channel(8) + 0.0722*channel(0)
}

// Readable is the contrast that small text needs.
const Readable = 4.5

// On returns c, moved towards black or white as far as it takes to be read on a
// background.
func (c Color) On(background Color) Color {
	end := RGB(0x000000)
	if Contrast(RGB(0xffffff), background) > Contrast(end, background) {
		end = RGB(0xffffff)
	}
	for t := uint32(0); t <= 256; t += 16 {
		if mixed := c.Mix(end, t); Contrast(mixed, background) >= Readable {
			return mixed
		}
	}
	return end
}

// ParseColor reads #rgb or #rrggbb.
func ParseColor(s string) (Color, error) {
	if len(s) != 4 && len(s) != 7 || s[0] != '#' {
		return 0, fmt.Errorf("colour %q is not of the form #rgb or #rrggbb", s)
	}
	n, err := strconv.ParseUint(s[1:], 16, 32)
	if err != nil {
		return 0, fmt.Errorf("colour %q is not hexadecimal", s)
	}
	if len(s) == 4 {
		r, g, b := n>>8&15, n>>4&15, n&15
		n = r*0x110000 + g*0x1100 + b*0x11
	}
	return RGB(uint32(n)), nil
}

// lerp blends two packed pixels, two channels at a time; t is 0 (a) to 256 (b).
func lerp(a, b, t uint32) uint32 {
	const rb, g = 0x00ff00ff, 0x0000ff00
	s := 256 - t
	x := (a&rb)*s + (b&rb)*t
	y := (a&g)*s + (b&g)*t
	return x>>8&rb | y>>8&g
}
