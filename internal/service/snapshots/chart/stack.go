package chart

import (
	"math"
	"slices"
)

// stack is the series of a layer laid on top of each other at common times.
type stack struct {
	times []int64
	// lo and hi are per series the edges of its share at each time; NaN where
	// no series has a value.
	lo, hi [][]float64
}

// newStack adds up the series. A series without a value at a time that others
// have counts as zero there; a time without any value is a gap. Negative values
// grow downwards from zero when split is set (bars) and otherwise add up.
func newStack(series []Series, split bool) stack {
	var s stack
	for _, sr := range series {
		for _, p := range sr.Points {
			s.times = append(s.times, p.T)
		}
	}
	slices.Sort(s.times)
	s.times = slices.Compact(s.times)
	at := make(map[int64]int, len(s.times))
	for i, t := range s.times {
		at[t] = i
	}
	up, down := make([]float64, len(s.times)), make([]float64, len(s.times))
	seen := make([]bool, len(s.times))
	for _, sr := range series {
		lo, hi := slices.Clone(up), slices.Clone(up)
		for _, p := range sr.Points {
			i := at[p.T]
			if math.IsNaN(p.V) || math.IsInf(p.V, 0) {
				continue
			}
			seen[i] = true
			if split && p.V < 0 {
				lo[i], hi[i] = down[i]+p.V, down[i]
				down[i] += p.V
				continue
			}
			hi[i] = up[i] + p.V
			up[i] = hi[i]
		}
		s.lo, s.hi = append(s.lo, lo), append(s.hi, hi)
	}
	for i, ok := range seen {
		for k := range s.hi {
			if !ok {
				s.lo[k][i], s.hi[k][i] = math.NaN(), math.NaN()
			}
		}
	}
	return s
}
