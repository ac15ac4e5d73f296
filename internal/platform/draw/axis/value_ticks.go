package axis

import "math"

// Ticks is the values that an axis marks, and their common distance when they
// have one.
type Ticks struct {
	Values []float64
	Step   float64
}

// Values returns about n round ticks inside the scale. Byte counts are round in
// powers of two.
func Values(s Scale, n int, u Unit) Ticks {
	n = max(n, 2)
	if s.Kind == Log && s.Max > 0 {
		if t := decades(s, n, u); len(t.Values) >= 2 {
			return t
		}
	}
	return linear(s.Min, s.Max, wholeStep(s.Min, s.Max, n, u))
}

// wholeStep is the step of a range. That of one which Extend has widened may be
// coarser than the step it was widened to, and then its ends would have no tick:
// up to two more ticks are better.
func wholeStep(lo, hi float64, n int, u Unit) float64 {
	for more := range 3 {
		if step := Step(hi-lo, n+more, u); whole(lo/step) && whole(hi/step) {
			return step
		}
	}
	return Step(hi-lo, n, u)
}

func whole(v float64) bool { return math.Abs(v-math.Round(v)) < 1e-9 }

// maxSteps is how many steps from zero a tick may lie: beyond, neighbouring
// multiples are one number.
const maxSteps = 1 << 50

// linear lists the multiples of step between lo and hi.
func linear(lo, hi, step float64) Ticks {
	if step <= 0 || math.IsInf(step, 0) || math.IsNaN(step) {
		return Ticks{Step: step}
	}
	for max(math.Abs(lo), math.Abs(hi))/step > maxSteps {
		step *= 10
	}
	t := Ticks{Step: step}
	first, last := math.Ceil(lo/step-1e-9), math.Floor(hi/step+1e-9)
	for i := first; i <= last && len(t.Values) < 1000; i++ {
		// The product is rounded, at worst to the other side of an end.
		v := min(max(i*step, lo), hi)
		if v == 0 {
			v = 0 // no negative zero
		}
		t.Values = append(t.Values, v)
	}
	return t
}

// decades lists powers of ten; over a short range also their doubles and halves.
// Byte counts get powers of four.
func decades(s Scale, n int, u Unit) Ticks {
	lo, base := s.Min, 10.0
	if lo <= 0 {
		lo = 1
	}
	s.Max = finite(s.Max) // no step leads beyond an infinite end
	if u.family() == familyBytes {
		base = 4
	}
	from, to := math.Floor(math.Log(lo)/math.Log(base)), math.Ceil(math.Log(s.Max)/math.Log(base))
	steps := []float64{1}
	if base == 10 && to-from <= float64(n)/2 {
		steps = []float64{1, 2, 5}
	}
	stride := max(1, math.Ceil((to-from)/float64(n)))
	var t Ticks
	if s.Min <= 0 {
		t.Values = append(t.Values, 0)
	}
	for e := from; e <= to; e += stride {
		for _, m := range steps {
			if v := m * math.Pow(base, e); v >= s.Min && v <= s.Max {
				t.Values = append(t.Values, v)
			}
		}
	}
	// The end of the axis is marked when it is round.
	if n := len(t.Values); n > 0 && t.Values[n-1] < s.Max && s.Max == LogCeil(s.Max, u) {
		t.Values = append(t.Values, s.Max)
	}
	return t
}

// LogCeil is the next value at or above v that a logarithmic axis may end at: a
// power of two of bytes, otherwise 1, 2 or 5 times a power of ten.
func LogCeil(v float64, u Unit) float64 {
	if !(v > 0) || math.IsInf(v, 0) {
		return v
	}
	if u.family() == familyBytes {
		return finite(math.Exp2(math.Ceil(math.Log2(v) - 1e-9)))
	}
	base := math.Pow(10, math.Floor(math.Log10(v)+1e-9))
	return finite(base * roundUp(v/base*(1-1e-9), 1, 2, 5, 10))
}

// finite is v, or the largest number of its sign in place of an infinity: rounding up one that is
// near the largest leads beyond it.
func finite(v float64) float64 { return min(max(v, -math.MaxFloat64), math.MaxFloat64) }

// Step returns a round distance that divides a span into about n parts.
func Step(span float64, n int, u Unit) float64 {
	raw := span / float64(n)
	if !(raw > 0) || math.IsInf(raw, 0) {
		return 0
	}
	switch u.family() {
	case familyBytes:
		if raw >= 1024 {
			base := math.Pow(1024, math.Floor(math.Log(raw)/math.Log(1024)))
			if k := raw / base; k <= 512 {
				return base * roundUp(k, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
			}
			return base * 1024
		}
	case familyTime:
		if s := raw * u.seconds(); s >= 1 && s < 200000 {
			return roundUp(s, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400,
				172800, 432000) / u.seconds()
		}
	case familyPlain, familyPercent:
	}
	base := math.Pow(10, math.Floor(math.Log10(raw)))
	return base * roundUp(raw/base*(1-1e-9), 1, 2, 2.5, 5, 10)
}

func roundUp(v float64, steps ...float64) float64 {
	for _, s := range steps {
		if v <= s {
			return s
		}
	}
	return steps[len(steps)-1]
}

// Extend widens a range to whole steps so that the outer ticks frame the data.
func Extend(lo, hi float64, n int, u Unit) (float64, float64) {
	step := Step(hi-lo, n, u)
	if step == 0 {
		return lo, hi
	}
	return finite(math.Floor(lo/step+1e-9) * step), finite(math.Ceil(hi/step-1e-9) * step)
}
