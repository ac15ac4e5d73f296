package axis

import (
	"math"
	"strconv"
	"strings"
)

// Unit is what values are counted in, for example "byte", "second",
// "millisecond", "percent", "request", or a quotient such as "byte/second".
type Unit string

type family int

const (
	familyPlain family = iota
	familyBytes
	familyTime
	familyPercent
)

// base is the counted part, without the divisor and the plural.
func (u Unit) base() string {
	s, _, _ := strings.Cut(string(u), "/")
	return strings.TrimSuffix(s, "s")
}

// per is the divisor in short form, for example "/s".
func (u Unit) per() string {
	_, p, ok := strings.Cut(string(u), "/")
	switch {
	case !ok:
		return ""
	case p == "second":
		return "/s"
	case p == "minute":
		return "/min"
	case p == "hour":
		return "/h"
	default:
		return "/" + p
	}
}

func (u Unit) family() family {
	switch u.base() {
	case "byte", "kibibyte", "mebibyte", "gibibyte", "bit":
		return familyBytes
	case "percent", "fraction":
		return familyPercent
	}
	if u.seconds() > 0 {
		return familyTime
	}
	return familyPlain
}

// seconds is the length of a time unit, 0 for others.
func (u Unit) seconds() float64 {
	switch u.base() {
	case "nanosecond":
		return 1e-9
	case "microsecond":
		return 1e-6
	case "millisecond":
		return 1e-3
	case "second":
		return 1
	case "minute":
		return 60
	case "hour":
		return 3600
	case "day":
		return 86400
	default:
		return 0
	}
}

// Format writes v for a reader. step is the distance of neighbouring ticks and
// decides how many digits are worth writing; 0 means three significant digits.
func Format(v, step float64, u Unit) string {
	if math.IsNaN(v) {
		return "–"
	}
	if math.IsInf(v, 0) {
		return map[bool]string{true: "∞", false: "−∞"}[v > 0]
	}
	var text string
	switch u.family() {
	case familyBytes:
		text = formatBytes(v, step, u)
	case familyTime:
		text = formatTime(v*u.seconds(), step*u.seconds())
	case familyPercent:
		if u.base() == "fraction" {
			v, step = v*100, step*100
		}
		text = number(v, step) + "%"
	default:
		text = formatSI(v, step)
	}
	return strings.Replace(text, "-", "−", 1) + u.per()
}

func formatBytes(v, step float64, u Unit) string {
	letter := "B"
	switch u.base() {
	case "kibibyte":
		v, step = v*1024, step*1024
	case "mebibyte":
		v, step = v*(1<<20), step*(1<<20)
	case "gibibyte":
		v, step = v*(1<<30), step*(1<<30)
	case "bit":
		letter = "b"
	}
	prefixes := []string{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}
	v, step, i := pickPrefix(v, step, 1024, len(prefixes))
	return number(v, step) + " " + prefixes[i] + letter
}

// formatTime writes seconds as one number and its unit.
func formatTime(v, step float64) string {
	if scaleOf(v, step) == 0 {
		return "0"
	}
	// From is the least that is written in a unit, once it is rounded as it would be in
	// the smaller one.
	units := []struct {
		from, seconds float64
		name          string
	}{{0, 1e-9, "ns"}, {1e-6, 1e-6, "µs"}, {1e-3, 1e-3, "ms"}, {1, 1, "s"}, {120, 60, "min"}, {7200, 3600, "h"},
		{172800, 86400, "d"}}
	i := 0
	for i+1 < len(units) {
		size, next := units[i].seconds, units[i+1].from
		if rounded(v/size, step/size)*size < next*(1-1e-9) {
			break
		}
		i++
	}
	u := units[i]
	return number(v/u.seconds, step/u.seconds) + " " + u.name
}

func formatSI(v, step float64) string {
	suffixes := []string{"", "k", "M", "G", "T", "P", "E"}
	scale := scaleOf(v, step)
	if scale >= 1e21 || scale > 0 && scale < 1e-6 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	v, step, i := pickPrefix(v, step, 1000, len(suffixes))
	return number(v, step) + suffixes[i]
}

// pickPrefix divides by base while what would be written reaches it, at most count-1
// times: rounding may carry, and 999.96 k is 1 M.
func pickPrefix(v, step, base float64, count int) (float64, float64, int) {
	i := 0
	for scaleOf(v, step) > 0 && i < count-1 {
		shown := rounded(v, step)
		if shown < base {
			break
		}
		if math.Abs(v) < base {
			v = math.Copysign(shown, v)
		}
		v, step, i = v/base, step/base, i+1
	}
	return v, step, i
}

// rounded is the magnitude of v as it is written.
func rounded(v, step float64) float64 {
	f, err := strconv.ParseFloat(number(v, step), 64)
	if err != nil {
		return math.Abs(v) // it has no number's text
	}
	return math.Abs(f)
}

// scaleOf is the magnitude that picks the prefix. A value of zero borrows the
// prefix of nothing, so that the origin reads 0.
func scaleOf(v, step float64) float64 {
	if v == 0 || math.Abs(v) < step*1e-6 {
		return 0
	}
	return math.Abs(v)
}

// number writes v with the digits that a step of ticks makes meaningful.
func number(v, step float64) string {
	digits := 0
	if step > 0 {
		for s := step; digits < 9 && math.Abs(s-math.Round(s)) > 1e-6*s; digits++ {
			s *= 10
		}
	} else {
		switch a := math.Abs(v); {
		case a == 0 || a >= 100:
		case a >= 10:
			digits = 1
		case a >= 1:
			digits = 2
		default:
			digits = min(9, 2-int(math.Floor(math.Log10(a))))
		}
	}
	s := strconv.FormatFloat(v, 'f', digits, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	if s == "-0" {
		return "0"
	}
	return s
}
