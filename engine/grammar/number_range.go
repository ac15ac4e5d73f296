package grammar

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// maxDigits bounds numbers, so that every one fits 64 bits.
const maxDigits = 15

// number gives a number between bounds, in plain decimals.
func (b *builder) number(kind string, s map[string]any, path string) (string, error) {
	low, high := math.Inf(-1), math.Inf(1)
	for _, word := range []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"} {
		v, there := s[word]
		if !there {
			continue
		}
		n, ok := v.(float64)
		if !ok || math.Abs(n) >= 1e15 {
			return "", &Error{join(path, word), "must be a number of at most 15 digits"}
		}
		switch word {
		case "minimum":
			low = max(low, n)
		case "maximum":
			high = min(high, n)
		case "exclusiveMinimum":
			low = max(low, math.Nextafter(n, math.Inf(1)))
		case "exclusiveMaximum":
			high = min(high, math.Nextafter(n, math.Inf(-1)))
		}
	}
	if math.IsInf(low, 0) && math.IsInf(high, 0) {
		return kind, nil
	}
	var out []string
	if kind == "integer" {
		out = integers(math.Ceil(low), math.Floor(high))
	} else {
		out = decimals(low, high)
	}
	if len(out) == 0 {
		return "", &Error{path, "there is no such number that a model could be held to; " +
			"widen minimum and maximum to whole numbers"}
	}
	return b.rule(strings.Join(out, " | "))
}

// integers are the alternatives of whole numbers from low to high, either of
// which may be infinite.
func integers(low, high float64) []string {
	var out []string
	if low > high {
		return nil
	}
	if low < 0 {
		// From the number nearest to zero outwards, with a sign before.
		for _, r := range digits(max(1, -high), -low) {
			out = append(out, `"-" `+r)
		}
	}
	if high >= 0 {
		out = append(out, digits(max(0, low), high)...)
	}
	return out
}

// digits are the alternatives of numbers without sign.
func digits(low, high float64) []string {
	if low > high {
		return nil
	}
	top := high
	if math.IsInf(high, 1) {
		top = math.Pow10(maxDigits) - 1
	}
	var out []string
	from := int64(low)
	if from == 0 {
		out = append(out, `"0"`)
		from = 1
	}
	// Numbers of one length at a time: 7 to 9, 10 to 99, 100 to 123.
	for from <= int64(top) {
		length := len(strconv.FormatInt(from, 10))
		to := min(int64(top), int64(math.Pow10(length))-1)
		out = append(out, sameLength(strconv.FormatInt(from, 10), strconv.FormatInt(to, 10)))
		from = to + 1
	}
	return out
}

// sameLength covers the numbers from low to high, which have as many digits.
func sameLength(low, high string) string {
	if low == high {
		return literal(low)
	}
	if low[0] == high[0] {
		return literal(low[:1]) + " " + group(sameLength(low[1:], high[1:]))
	}
	n := len(low) - 1
	if n == 0 {
		return fmt.Sprintf("[%c-%c]", low[0], high[0])
	}
	var out []string
	from, to := low[0], high[0]
	if strings.Trim(low[1:], "0") != "" {
		out = append(out, literal(low[:1])+" "+group(sameLength(low[1:], strings.Repeat("9", n))))
		from++
	}
	last := ""
	if strings.Trim(high[1:], "9") != "" {
		last = literal(high[:1]) + " " + group(sameLength(strings.Repeat("0", n), high[1:]))
		to--
	}
	if from <= to {
		out = append(out, fmt.Sprintf("[%c-%c] [0-9]{%d}", from, to, n))
	}
	if last != "" {
		out = append(out, last)
	}
	return strings.Join(out, " | ")
}

func group(s string) string {
	if strings.Contains(s, "|") {
		return "(" + s + ")"
	}
	return s
}

// fraction is what may follow a whole number.
const fraction = ` ("." [0-9]{1,15})?`

// decimals are the alternatives of numbers between bounds: whole numbers, and
// fractions above those whose next whole number is still inside.
func decimals(low, high float64) []string {
	var out []string
	add := func(sign string, from, to float64) {
		// [from, to] in absolute values, both at least zero.
		from, whole := math.Ceil(from), math.Floor(to)
		if math.IsInf(to, 1) {
			for _, r := range digits(from, to) {
				out = append(out, sign+group(r)+fraction)
			}
			return
		}
		for _, r := range digits(from, whole-1) {
			out = append(out, sign+group(r)+fraction)
		}
		if from <= whole {
			for _, r := range digits(whole, whole) {
				out = append(out, sign+r)
			}
		}
	}
	if low < 0 {
		add(`"-" `, max(0, -high), -low)
	}
	if high >= 0 {
		add("", max(0, low), high)
	}
	return out
}
