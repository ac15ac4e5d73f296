package draw

import "math"

// minDash is the least length of a dash or a gap.
const minDash = 0.25

// dasher cuts a polyline into the drawn parts of a dash pattern. Where a part lies follows from its
// number and not from the parts before it, so that those that are not seen are passed over at once.
type dasher struct {
	lengths []float64 // drawn and skipped in turn
	period  float64
	phase   float64 // how far into the period the next segment begins
	// What is wholly outside of these sides leaves no ink.
	x0, y0, x1, y1 float64
	emit           func(a, b Point)
}

// newDasher makes one for strokes of a half width that are seen inside of clip.
func newDasher(pattern []float64, clip Rect, half float64, emit func(a, b Point)) *dasher {
	d := &dasher{
		x0: float64(clip.X0) - half - 1, y0: float64(clip.Y0) - half - 1,
		x1: float64(clip.X1) + half + 1, y1: float64(clip.Y1) + half + 1, emit: emit,
	}
	for range 1 + len(pattern)%2 { // an odd pattern is drawn and skipped the other way round every other time
		for _, length := range pattern {
			d.lengths = append(d.lengths, max(length, minDash))
			d.period += max(length, minDash)
		}
	}
	d.phase = d.lengths[0] - pattern[0]
	return d
}

// line cuts a whole polyline.
func (d *dasher) line(pts []Point) {
	for i := 1; i < len(pts); i++ {
		d.segment(near(pts[i-1]), near(pts[i]))
	}
}

// near keeps a point as far away as strokes reach, see toFixed.
func near(p Point) Point { return Point{nearer(p.X), nearer(p.Y)} }

func nearer(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return min(max(v, -far), far)
}

func (d *dasher) segment(a, b Point) {
	length := math.Hypot(b.X-a.X, b.Y-a.Y)
	if length == 0 {
		return
	}
	at := func(along float64) Point {
		t := along / length
		return Point{a.X + float64((b.X-a.X)*t), a.Y + float64((b.Y-a.Y)*t)}
	}
	from, to, seen := d.seen(a, b)
	for n := math.Floor((d.phase + from*length) / d.period); seen; n++ {
		begin := float64(n*d.period) - d.phase
		if begin > to*length {
			break
		}
		for k, part := range d.lengths {
			end := begin + part
			if lo, hi := max(begin, 0), min(end, length); k%2 == 0 && lo < hi {
				d.emit(at(lo), at(hi))
			}
			begin = end
		}
	}
	d.phase = math.Mod(d.phase+length, d.period)
}

// seen is the part of a segment, from 0 to 1, that lies inside of the sides.
func (d *dasher) seen(a, b Point) (from, to float64, ok bool) {
	from, to = 0, 1
	for _, side := range [...]struct{ at, step, low, high float64 }{
		{a.X, b.X - a.X, d.x0, d.x1}, {a.Y, b.Y - a.Y, d.y0, d.y1},
	} {
		if side.step == 0 {
			if side.at < side.low || side.at > side.high {
				return 0, 0, false
			}
			continue
		}
		enter, leave := (side.low-side.at)/side.step, (side.high-side.at)/side.step
		from, to = max(from, min(enter, leave)), min(to, max(enter, leave))
	}
	return from, to, from <= to
}
