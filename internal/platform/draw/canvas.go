package draw

// Rect is a half-open rectangle of whole device pixels.
type Rect struct{ X0, Y0, X1, Y1 int }

// W and H are the sides of r.
func (r Rect) W() int { return r.X1 - r.X0 }

// H is the height of r.
func (r Rect) H() int { return r.Y1 - r.Y0 }

// Intersect returns the part that r and s share; it may be empty.
func (r Rect) Intersect(s Rect) Rect {
	return Rect{max(r.X0, s.X0), max(r.Y0, s.Y0), min(r.X1, s.X1), min(r.Y1, s.Y1)}
}

// Empty reports whether r holds no pixel.
func (r Rect) Empty() bool { return r.X0 >= r.X1 || r.Y0 >= r.Y1 }

// Canvas is an opaque picture, or one strip of a tall one. Coordinates are
// always those of the whole picture. A Canvas belongs to one goroutine.
type Canvas struct {
	Width, Height int // of the whole picture
	strip         Rect
	clip          Rect
	pix           []uint32 // 0x00RRGGBB, the strip's rows only
	mask          []uint8  // coverage of the stroke under construction
	dirty         Rect     // part of mask that is not zero
	acc           []int32  // signed area of the polygon under construction
}

// newCanvas returns a canvas for rows y0 to y1 of a w by h picture.
func newCanvas(w, h, y0, y1 int) *Canvas {
	c := &Canvas{Width: w, Height: h}
	c.seek(y0, y1)
	return c
}

// seek moves the canvas to another strip, keeping its memory.
func (c *Canvas) seek(y0, y1 int) {
	c.strip = Rect{0, y0, c.Width, y1}
	c.clip = c.strip
	n := c.Width * (y1 - y0)
	if cap(c.pix) < n {
		c.pix = make([]uint32, n)
		c.mask = make([]uint8, n)
	}
	c.pix, c.mask = c.pix[:n], c.mask[:n]
}

// Bounds returns the whole picture.
func (c *Canvas) Bounds() Rect { return Rect{0, 0, c.Width, c.Height} }

// Clip restricts drawing to r until the returned function is called.
func (c *Canvas) Clip(r Rect) (restore func()) {
	old := c.clip
	c.clip = old.Intersect(r)
	return func() { c.clip = old }
}

// row returns the pixels x0 to x1 of row y, which must lie inside the strip.
func (c *Canvas) row(y, x0, x1 int) []uint32 {
	i := (y - c.strip.Y0) * c.Width
	return c.pix[i+x0 : i+x1]
}

// FillRect covers whole pixels of r.
func (c *Canvas) FillRect(r Rect, col Color) {
	r = r.Intersect(c.clip)
	if r.Empty() {
		return
	}
	a := opacity(col)
	for y := r.Y0; y < r.Y1; y++ {
		row := c.row(y, r.X0, r.X1)
		if a == 256 {
			p := uint32(col) & 0xffffff
			for i := range row {
				row[i] = p
			}
			continue
		}
		blendRow(row, uint32(col), a)
	}
}

// blendRow mixes one colour into a row, skipping the work when neighbours are
// alike, which is the rule in charts.
func blendRow(row []uint32, col, a uint32) {
	last, mixed := ^uint32(0), uint32(0)
	for i, p := range row {
		if p != last {
			last, mixed = p, lerp(p, col, a)
		}
		row[i] = mixed
	}
}

// opacity maps an alpha byte to the 0 to 256 weight that lerp takes.
func opacity(col Color) uint32 {
	a := uint32(col.Opacity())
	return a + a>>7
}
