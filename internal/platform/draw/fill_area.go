package draw

// Fill paints the inside of a closed polygon, anti-aliased. Overlapping parts
// of one polygon are painted once.
func (c *Canvas) Fill(pts []Point, col Color) {
	if len(pts) < 3 || c.clip.Empty() {
		return
	}
	box := c.bounds(pts)
	if box.Empty() {
		return
	}
	f := filler{box: box, stride: box.W() + 2}
	n := f.stride * box.H()
	if cap(c.acc) < n {
		c.acc = make([]int32, n)
	}
	f.acc = c.acc[:n]
	ox, oy := unit(box.X0)<<8, unit(box.Y0)<<8
	p := pts[len(pts)-1]
	x0, y0 := toFixed(p.X)-ox, toFixed(p.Y)-oy
	for _, q := range pts {
		x1, y1 := toFixed(q.X)-ox, toFixed(q.Y)-oy
		f.edge(x0, y0, x1, y1)
		x0, y0 = x1, y1
	}
	c.paintArea(&f, col)
}

// bounds returns the clipped box of whole pixels around the points.
func (c *Canvas) bounds(pts []Point) Rect {
	x0, y0 := toFixed(pts[0].X), toFixed(pts[0].Y)
	x1, y1 := x0, y0
	for _, p := range pts[1:] {
		x, y := toFixed(p.X), toFixed(p.Y)
		x0, x1 = min(x0, x), max(x1, x)
		y0, y1 = min(y0, y), max(y1, y)
	}
	return Rect{int(x0 >> 8), int(y0 >> 8), int((x1 + 255) >> 8), int((y1 + 255) >> 8)}.Intersect(c.clip)
}

// filler accumulates signed areas: after all edges, the running sum of a row is
// the coverage of each pixel in units of 1/65536.
type filler struct {
	box    Rect
	stride int
	acc    []int32
}

// edge adds one directed edge, row by row.
func (f *filler) edge(x0, y0, x1, y1 unit) {
	if y0 == y1 {
		return
	}
	sign := int32(1)
	if y0 > y1 {
		x0, y0, x1, y1 = x1, y1, x0, y0
		sign = -1
	}
	h := unit(f.box.H()) << 8
	if y1 <= 0 || y0 >= h {
		return
	}
	dx, dy := x1-x0, y1-y0
	y, x := y0, x0
	if y < 0 {
		x, y = x0-y0*dx/dy, 0
	}
	end := min(y1, h)
	for y < end {
		next := min((y>>8+1)<<8, end)
		nx := x1
		if next != y1 {
			nx = x0 + (next-y0)*dx/dy
		}
		f.span(int(y>>8), x, nx, int32(next-y)*sign)
		x, y = nx, next
	}
}

// span adds the part of an edge inside one row: it runs from xa to xb while the
// height grows by d. Parts left of the box count for its first column, parts
// right of it for none.
func (f *filler) span(row int, xa, xb unit, d int32) {
	w := unit(f.box.W()) << 8
	xa, xb = min(max(xa, 0), w), min(max(xb, 0), w)
	if xa > xb {
		xa, xb = xb, xa
	}
	acc := f.acc[row*f.stride : (row+1)*f.stride]
	i, j := int(xa>>8), int(xb>>8)
	if i == j {
		m := int32(xa&255+xb&255) / 2
		acc[i] += d * (256 - m)
		acc[i+1] += d * m
		return
	}
	done, width := int32(0), xb-xa
	for k := i; k <= j; k++ {
		lo, hi := unit(0), unit(256)
		if k == i {
			lo = xa & 255
		}
		if k == j {
			hi = xb & 255
		}
		part := d - done
		if k < j {
			part = int32(unit(d)*((unit(k)+1)<<8-xa)/width) - done
		}
		done += part
		m := int32(lo+hi) / 2
		acc[k] += part * (256 - m)
		acc[k+1] += part * m
	}
}

// paintArea blends the colour through the accumulated coverage and clears it.
func (c *Canvas) paintArea(f *filler, col Color) {
	a := opacity(col)
	last, lastWeight, mixed := ^uint32(0), uint32(0), uint32(0)
	for y := 0; y < f.box.H(); y++ {
		acc := f.acc[y*f.stride : (y+1)*f.stride]
		row := c.row(f.box.Y0+y, f.box.X0, f.box.X1)
		sum := int32(0)
		for x := range row {
			sum += acc[x]
			if sum == 0 {
				continue
			}
			t := uint32(min(max(sum, -sum), 65536)) >> 8 * a >> 8
			if row[x] != last || t != lastWeight {
				last, lastWeight = row[x], t
				mixed = lerp(last, uint32(col), t)
			}
			row[x] = mixed
		}
		clear(acc)
	}
}
