package draw

import "math"

// Point is a position in device pixels; pixel (x, y) covers x to x+1, y to y+1.
type Point struct{ X, Y float64 }

// Pen says how a polyline is stroked. Dash alternates drawn and skipped lengths
// in pixels; nil draws a solid line.
type Pen struct {
	Width float64
	Color Color
	Dash  []float64
}

// unit is a 24.8 fixed-point coordinate. far keeps products inside 64 bits whatever comes
// in; NaN and infinities never reach it, see toFixed.
type unit = int64

const (
	one unit = 256
	far      = 1 << 20 // pixels
)

func toFixed(v float64) unit {
	if math.IsNaN(v) {
		return 0
	}
	return unit(math.Round(min(max(v, -far), far) * 256))
}

// Stroke draws a polyline with round joins and caps. Where it crosses itself
// the paint does not add up, so translucent strokes stay even.
func (c *Canvas) Stroke(pts []Point, pen Pen) {
	if len(pts) == 0 || pen.Width <= 0 || c.clip.Empty() {
		return
	}
	s := stroker{c: c, r: toFixed(pen.Width) / 2}
	if len(pen.Dash) > 0 {
		newDasher(pen.Dash, c.clip, pen.Width/2, s.segment).line(pts)
	} else if len(pts) == 1 {
		s.segment(pts[0], pts[0])
	} else {
		for i := 1; i < len(pts); i++ {
			s.segment(pts[i-1], pts[i])
		}
	}
	c.paintMask(pen.Color)
}

// stroker adds segments of one half width to the canvas mask.
type stroker struct {
	c *Canvas
	r unit
}

// segment adds the pixels within r of the segment a-b. Per row it first finds
// the part of the segment that can reach the row, so long steep segments cost
// their length and not their bounding box.
func (s *stroker) segment(a, b Point) {
	ax, ay, bx, by := toFixed(a.X), toFixed(a.Y), toFixed(b.X), toFixed(b.Y)
	if ay > by {
		ax, ay, bx, by = bx, by, ax, ay
	}
	reach := s.r + one/2
	y0 := max(int((ay-reach)>>8), s.c.clip.Y0)
	y1 := min(int((by+reach)>>8)+1, s.c.clip.Y1)
	if y0 >= y1 || max(ax, bx)+reach < unit(s.c.clip.X0)<<8 || min(ax, bx)-reach > unit(s.c.clip.X1)<<8 {
		return
	}
	g := newCapsule(ax, ay, bx, by, s.r)
	x0, x1 := s.c.clip.X1, s.c.clip.X0
	for y := y0; y < y1; y++ {
		lo, hi := g.reachRow(unit(y)<<8+one/2, reach)
		from, to := max(int(lo>>8), s.c.clip.X0), min(int(hi>>8)+1, s.c.clip.X1)
		if from >= to {
			continue
		}
		i := (y - s.c.strip.Y0) * s.c.Width
		g.coverRow(s.c.mask[i+from:i+to], from, y)
		x0, x1 = min(x0, from), max(x1, to)
	}
	if x0 < x1 {
		s.c.touch(Rect{x0, y0, x1, y1})
	}
}

// touch grows the part of the mask that must be painted and cleared.
func (c *Canvas) touch(r Rect) {
	if c.dirty.Empty() {
		c.dirty = r
		return
	}
	c.dirty = Rect{min(c.dirty.X0, r.X0), min(c.dirty.Y0, r.Y0), max(c.dirty.X1, r.X1), max(c.dirty.Y1, r.Y1)}
}

// paintMask blends the colour through the mask and clears it.
func (c *Canvas) paintMask(col Color) {
	d := c.dirty
	c.dirty = Rect{}
	if d.Empty() {
		return
	}
	a := opacity(col)
	for y := d.Y0; y < d.Y1; y++ {
		i := (y - c.strip.Y0) * c.Width
		mask, row := c.mask[i+d.X0:i+d.X1], c.row(y, d.X0, d.X1)
		for x, m := range mask {
			if m == 0 {
				continue
			}
			mask[x] = 0
			row[x] = lerp(row[x], uint32(col), weight(m)*a>>8)
		}
	}
}

// weight maps a coverage byte to 0 to 256.
func weight(m uint8) uint32 { return uint32(m) + uint32(m>>7) }
