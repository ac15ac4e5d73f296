package draw

// SetWhole makes the studio draw pictures above n pixels in strips.
func (s *Renderer) SetWhole(n int) { s.whole = n }
