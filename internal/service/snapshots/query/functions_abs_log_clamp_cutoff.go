package query

import "math"

// bound makes a function of a value and a number, such as a clamp.
func bound(f func(x, limit float64) float64) function {
	return function{args: "qn", apply: func(c *Call, list []Series) ([]Series, error) {
		limit := c.num(1, 0)
		return each(list, func(x float64) float64 { return f(x, limit) }), nil
	}}
}

// arithmetic works on one value at a time.
func arithmetic(name string) (function, bool) {
	nan := math.NaN()
	switch name {
	case "abs":
		return perValue(math.Abs), true
	case "log2", "log10":
		base := map[string]func(float64) float64{"log2": math.Log2, "log10": math.Log10}[name]
		return perValue(func(x float64) float64 {
			if x <= 0 {
				return nan
			}
			return base(x)
		}), true
	case "exp":
		return perValue(func(x float64) float64 { return finite(math.Exp(x)) }), true
	case "power":
		return bound(func(x, n float64) float64 { return finite(math.Pow(x, n)) }), true
	case "sqrt":
		return perValue(func(x float64) float64 {
			if x < 0 {
				return nan
			}
			return math.Sqrt(x)
		}), true
	case "default_zero":
		return perValue(func(x float64) float64 {
			if math.IsNaN(x) {
				return 0
			}
			return x
		}), true
	case "clamp_min":
		return bound(func(x, l float64) float64 { return keepNaN(x, max(x, l)) }), true
	case "clamp_max":
		return bound(func(x, l float64) float64 { return keepNaN(x, min(x, l)) }), true
	case "cutoff_min":
		return bound(func(x, l float64) float64 {
			if x < l {
				return nan
			}
			return x
		}), true
	case "cutoff_max":
		return bound(func(x, l float64) float64 {
			if x > l {
				return nan
			}
			return x
		}), true
	case "count_nonzero", "count_not_null":
		return counting(name), true
	case "exclude_null":
		return function{args: "q", keeps: true, apply: excludeNull}, true
	}
	return function{}, false
}

// finite leaves out what no chart and no JSON can show.
func finite(x float64) float64 {
	if math.IsInf(x, 0) {
		return math.NaN()
	}
	return x
}

func keepNaN(x, y float64) float64 {
	if math.IsNaN(x) {
		return x
	}
	return y
}
