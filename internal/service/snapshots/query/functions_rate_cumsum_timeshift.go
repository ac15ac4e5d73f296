package query

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// overTime compares a value with its predecessor.
func overTime(name string) (function, bool) {
	per := map[string]float64{"per_second": 1, "rate": 1, "throughput": 1, "per_minute": 60, "per_hour": 3600}
	switch name {
	case "per_second", "rate", "throughput", "per_minute", "per_hour":
		return steps(func(d, dt float64) float64 {
			if d < 0 {
				return math.NaN() // a counter that started again
			}
			return d / dt * per[name]
		}), true
	case "derivative":
		return steps(func(d, dt float64) float64 { return d / dt }), true
	case "diff":
		return steps(func(d, _ float64) float64 { return d }), true
	case "monotonic_diff":
		return steps(func(d, _ float64) float64 {
			if d < 0 {
				return math.NaN()
			}
			return d
		}), true
	case "dt":
		return steps(func(_, dt float64) float64 { return dt }), true
	case "cumsum", "integral":
		return perSeries("q", func(_ *Call, s *Series) {
			factor, sum := 1.0, 0.0
			if name == "integral" {
				factor = float64(s.Step) / 1000
			}
			for i, x := range s.Values {
				if !math.IsNaN(x) {
					sum += x * factor
					s.Values[i] = sum
				}
			}
		}), true
	}
	return function{}, false
}

// steps applies f to the change since the last value and the seconds between.
func steps(f func(d, dt float64) float64) function {
	return perSeries("q", func(_ *Call, s *Series) {
		last, at := math.NaN(), 0
		for i, x := range s.Values {
			if math.IsNaN(x) {
				continue
			}
			if math.IsNaN(last) {
				s.Values[i] = math.NaN()
			} else {
				s.Values[i] = f(x-last, float64(int64(i-at)*s.Step)/1000)
			}
			last, at = x, i
		}
	})
}

// shifts reads another time than the query's.
func shifts(name string) (function, bool) {
	fixed := map[string]int64{
		"hour_before": 3600, "day_before": 86400, "week_before": 7 * 86400, "month_before": 28 * 86400,
	}
	if back, ok := fixed[name]; ok {
		return function{args: "q", shift: func(*Call) (int64, error) { return -back, nil }}, true
	}
	switch name {
	case "timeshift":
		return function{args: "qn", shift: func(c *Call) (int64, error) {
			v := c.num(1, 0)
			if math.Abs(v) > maxShift {
				return 0, fmt.Errorf("a shift of more than ten years")
			}
			return int64(v), nil
		}}, true
	case "calendar_shift":
		return function{args: "qs|s", shift: calendarShift}, true
	}
	return function{}, false
}

// calendarShift reads texts such as '-1d', '-2w' or '-1mo' (28 days).
func calendarShift(c *Call) (int64, error) {
	s := c.text(1, "")
	unit := strings.TrimLeft(s, "-+0123456789")
	n, err := strconv.ParseInt(strings.TrimSuffix(s, unit), 10, 16)
	size := map[string]int64{"h": 3600, "d": 86400, "w": 7 * 86400, "mo": 28 * 86400}[unit]
	if err != nil || size == 0 {
		return 0, fmt.Errorf("%q is not a shift such as '-1d', '-1w' or '-1mo'", s)
	}
	return n * size, nil
}
