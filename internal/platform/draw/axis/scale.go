package axis

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Kind is how values are spread along an axis.
type Kind string

// The kinds of scale. Pow carries its exponent in Scale.
const (
	Linear Kind = "linear"
	Log    Kind = "log"
	Sqrt   Kind = "sqrt"
	Pow    Kind = "pow"
)

// Scale maps values between Min and Max to 0 to 1.
type Scale struct {
	Kind     Kind
	Exponent float64 // of Pow
	Min, Max float64
}

// ParseKind reads "linear", "log", "sqrt", "pow" or "powN"; empty is linear and
// a bare pow is the second power.
func ParseKind(s string) (Kind, float64, error) {
	switch s {
	case "", "linear":
		return Linear, 1, nil
	case "log":
		return Log, 1, nil
	case "sqrt":
		return Sqrt, 0.5, nil
	case "pow":
		return Pow, 2, nil
	}
	if n, ok := strings.CutPrefix(s, "pow"); ok {
		e, err := strconv.ParseFloat(n, 64)
		if err == nil && e >= 0.1 && e <= 10 {
			return Pow, e, nil
		}
	}
	return "", 0, fmt.Errorf("scale %q is none of linear, log, sqrt, pow and powN with N from 0.1 to 10", s)
}

// Map returns the place of v; values outside the range land outside 0 to 1.
func (s Scale) Map(v float64) float64 {
	lo, hi := s.warp(s.Min), s.warp(s.Max)
	if hi == lo {
		return 0.5
	}
	if at := s.warp(v); !math.IsInf(hi-lo, 0) {
		return (at - lo) / (hi - lo)
	}
	return (s.warp(v)/2 - lo/2) / (hi/2 - lo/2) // the distance of two finite numbers may be infinite
}

// warp is the curve of the scale. Its ends are finite, so that what lies between them has a place.
func (s Scale) warp(v float64) float64 { return finite(s.curve(v)) }

// curve is odd around zero so that negative values keep their order.
func (s Scale) curve(v float64) float64 {
	switch s.Kind {
	case Log:
		if s.Min > 0 {
			return math.Log10(max(v, math.SmallestNonzeroFloat64))
		}
		// Zero and negative values have no logarithm: the curve is linear
		// near zero and logarithmic beyond one.
		return math.Copysign(math.Log10(1+math.Abs(v)), v)
	case Sqrt:
		return math.Copysign(math.Sqrt(math.Abs(v)), v)
	case Pow:
		return math.Copysign(math.Pow(math.Abs(v), s.Exponent), v)
	default:
		return v
	}
}
