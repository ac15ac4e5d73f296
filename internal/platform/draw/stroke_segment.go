package draw

import "math"

// capsule is all points within r of a segment: what one stroke segment covers.
type capsule struct {
	ax, ay, bx, by unit
	ux, uy         unit // unit direction, 2.14 fixed point
	length         unit // 24.8
	r, most        unit // half width; greatest coverage of hair lines
	slope          unit // dx per dy, 16.16, for rows between the ends
}

// newCapsule wants ay <= by.
func newCapsule(ax, ay, bx, by, r unit) capsule {
	g := capsule{ax: ax, ay: ay, bx: bx, by: by, r: r, most: min(2*r, one)}
	dx, dy := float64(bx-ax), float64(by-ay)
	// The square root is correctly rounded on every machine; the conversions
	// around the products keep compilers from fusing them.
	l := math.Sqrt(float64(dx*dx) + float64(dy*dy))
	g.length = unit(l)
	if l > 0 {
		g.ux, g.uy = unit(dx*16384/l), unit(dy*16384/l)
	}
	if by > ay {
		g.slope = (bx - ax) << 16 / (by - ay)
	}
	return g
}

// reachRow returns the span of x that can lie within reach of the segment at
// height cy: the piece of the segment between cy-reach and cy+reach, widened.
func (g *capsule) reachRow(cy, reach unit) (lo, hi unit) {
	x0, x1 := g.ax, g.bx
	if g.by > g.ay {
		if d := cy - reach - g.ay; d > 0 {
			x0 = g.ax + d*g.slope>>16
		}
		if d := cy + reach - g.ay; d < g.by-g.ay {
			x1 = g.ax + d*g.slope>>16
		}
	}
	if x0 > x1 {
		x0, x1 = x1, x0
	}
	return x0 - reach - 2, x1 + reach + 2
}

// coverRow raises the mask to the coverage of the pixels from x on in row y.
func (g *capsule) coverRow(mask []uint8, x, y int) {
	px, py := unit(x)<<8+one/2-g.ax, unit(y)<<8+one/2-g.ay
	along := px*g.ux + py*g.uy  // 8+14 bits
	across := px*g.uy - py*g.ux // 8+14 bits
	end := g.length << 14
	for i := range mask {
		var d unit
		switch {
		case along <= 0:
			d = distance(px, py)
		case along >= end:
			d = distance(px-(g.bx-g.ax), py-(g.by-g.ay))
		case across < 0:
			d = -across >> 14
		default:
			d = across >> 14
		}
		if cov := min(g.r+one/2-d, g.most); cov > 0 {
			if m := uint8(min(cov, 255)); m > mask[i] {
				mask[i] = m
			}
		}
		px += one
		along += g.ux << 8
		across += g.uy << 8
	}
}

// distance is the length of a vector, rounded down.
func distance(x, y unit) unit {
	return unit(math.Sqrt(float64(x*x + y*y)))
}
