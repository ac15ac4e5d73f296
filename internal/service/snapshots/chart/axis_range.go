package chart

import (
	"math"
	"slices"
)

// extent collects the values that decide the range of the axis.
type extent struct {
	values []float64
	zero   bool // the baseline belongs to the picture: areas and bars
}

func (e *extent) add(v float64) {
	if !math.IsNaN(v) && !math.IsInf(v, 0) {
		e.values = append(e.values, v)
	}
}

// bounds returns the range for the axis; ok is false without any value.
func (e *extent) bounds(a Axis) (lo, hi float64, ok bool) {
	lo, hi, ok = e.trimmed(a.Trim)
	if !ok {
		lo, hi = 0, 1
	}
	wantZero := e.zero
	if a.IncludeZero != nil {
		wantZero = *a.IncludeZero
	} else if lo > 0 && lo < hi*0.6 || hi < 0 && hi > lo*0.6 {
		wantZero = true
	}
	// A logarithmic axis has no zero to include while all values are positive.
	if wantZero && !(a.Kind == "log" && lo > 0) {
		lo, hi = min(lo, 0), max(hi, 0)
	}
	if a.Min != nil {
		lo = *a.Min
	}
	if a.Max != nil {
		hi = *a.Max
	}
	if hi <= lo {
		lo, hi = widen(lo, hi, a)
	}
	return lo, hi, ok
}

// widen gives a flat range some height without moving a fixed end.
func widen(lo, hi float64, a Axis) (float64, float64) {
	d := max(math.Abs(lo)*0.1, 1e-3)
	if lo == 0 {
		d = 1
	}
	switch {
	case a.Max != nil && a.Min == nil:
		return hi - d, hi
	case a.Min != nil:
		return lo, lo + d
	case lo >= 0 && lo-d < 0:
		return 0, hi + d
	default:
		return lo - d, hi + d
	}
}

// trimmed returns least and greatest value after the filter.
func (e *extent) trimmed(t Trim) (lo, hi float64, ok bool) {
	v := e.values
	if len(v) == 0 {
		return 0, 0, false
	}
	if t == (Trim{}) {
		return slices.Min(v), slices.Max(v), true
	}
	v = slices.Clone(v)
	slices.Sort(v)
	v = v[int(float64(len(v))*t.BottomFraction):]
	v = v[:max(1, len(v)-int(float64(len(v))*t.TopFraction))]
	for len(v) > 1 && t.TopAbove != nil && v[len(v)-1] > *t.TopAbove {
		v = v[:len(v)-1]
	}
	for len(v) > 1 && t.BottomBelow != nil && v[0] < *t.BottomBelow {
		v = v[1:]
	}
	return v[0], v[len(v)-1], true
}
