package query

import (
	"fmt"
	"math"
	"slices"
)

// overRange puts one number for the whole range in place of each value, so that
// a formula can be computed of such numbers.
func overRange(list []Series, by string) ([]Series, error) {
	if !Reduces(by) {
		return nil, fmt.Errorf("over_range takes 'avg', 'min', 'max', 'sum', 'last', 'l2norm' or 'area', not %q", by)
	}
	for i := range list {
		v := Reduce(list[i].Values, by)
		for j := range list[i].Values {
			list[i].Values[j] = v
		}
	}
	return list, nil
}

// Reduces reports whether Reduce knows the name.
func Reduces(by string) bool {
	return slices.Contains([]string{"avg", "mean", "min", "max", "sum", "last", "l2norm", "area"}, by)
}

// Reduce returns one number for a whole series; NaN when it has no values.
func Reduce(values []float64, by string) float64 {
	n, sum, squares := 0.0, 0.0, 0.0
	lo, hi, last := math.NaN(), math.NaN(), math.NaN()
	for _, x := range values {
		if math.IsNaN(x) {
			continue
		}
		if n == 0 {
			lo, hi = x, x
		}
		lo, hi, last = min(lo, x), max(hi, x), x
		n++
		sum += x
		squares += x * x
	}
	if n == 0 {
		return math.NaN()
	}
	switch by {
	case "max":
		return hi
	case "min":
		return lo
	case "sum", "area":
		return sum
	case "last":
		return last
	case "l2norm":
		return math.Sqrt(squares)
	default:
		return sum / n
	}
}
