package draw

// SetWhole makes the renderer draw pictures above n pixels in strips.
func (r *Renderer) SetWhole(n int) { r.whole = n }

// FillBox covers the rectangle with fractional edges anti-aliased.
func (c *Canvas) FillBox(x0, y0, x1, y1 float64, col Color) {
	c.Fill([]Point{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}, col)
}
