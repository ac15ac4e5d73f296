package query

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// smoothing averages neighbouring points.
func smoothing(name string) (function, bool) {
	if n, ok := span(name, "ewma_", 3, 5, 7, 10, 20); ok {
		return perSeries("q", func(_ *Call, s *Series) { ewma(s.Values, 2/float64(n+1)) }), true
	}
	if n, ok := span(name, "median_", 3, 5, 7, 9); ok {
		return perSeries("q", func(_ *Call, s *Series) { s.Values = trailing(s.Values, n, median) }), true
	}
	switch name {
	case "autosmooth":
		return perSeries("q", func(_ *Call, s *Series) {
			ewma(s.Values, 2/(math.Max(3, float64(len(s.Values))/24)+1))
		}), true
	case "moving_rollup", "moving_average":
		return function{args: "qn|s", apply: movingRollup, cost: movingCost}, true
	}
	return function{}, false
}

// span reads the number behind a prefix when it is one of the allowed ones.
func span(name, prefix string, allowed ...int) (int, bool) {
	rest, ok := strings.CutPrefix(name, prefix)
	n, err := strconv.Atoi(rest)
	return n, ok && err == nil && slices.Contains(allowed, n)
}

// ewma replaces values by their exponentially weighted average; gaps stay.
func ewma(v []float64, alpha float64) {
	state := math.NaN()
	for i, x := range v {
		switch {
		case math.IsNaN(x):
			continue
		case math.IsNaN(state):
			state = x
		default:
			state = alpha*x + (1-alpha)*state
		}
		v[i] = state
	}
}

// trailing applies f to each point and the n-1 before it, gaps left out.
func trailing(v []float64, n int, f func([]float64) float64) []float64 {
	out := make([]float64, len(v))
	window := make([]float64, 0, n)
	for i := range v {
		window = window[:0]
		for _, x := range v[max(0, i-n+1) : i+1] {
			if !math.IsNaN(x) {
				window = append(window, x)
			}
		}
		out[i] = math.NaN()
		if len(window) > 0 && !math.IsNaN(v[i]) {
			out[i] = f(window)
		}
	}
	return out
}

// median sorts its argument.
func median(v []float64) float64 {
	slices.Sort(v)
	if n := len(v); n%2 == 0 {
		return (v[n/2-1] + v[n/2]) / 2
	}
	return v[len(v)/2]
}

// movingCost is a window for each value; a median sorts it.
func movingCost(c *Call, list []Series) int {
	per := 1
	if c.text(2, "") == "median" {
		per = sortCost
	}
	n := 0
	for i := range list {
		window := c.num(1, 0) * 1000 / float64(max(list[i].Step, 1))
		n += len(list[i].Values) * int(max(1, min(window, float64(len(list[i].Values))))) * per
	}
	return n
}

// sortCost is how often sorting looks at a value.
const sortCost = 12

func movingRollup(c *Call, list []Series) ([]Series, error) {
	seconds, method := c.num(1, 0), c.text(2, "avg")
	if !slices.Contains([]string{"avg", "sum", "min", "max", "count", "median"}, method) {
		return nil, fmt.Errorf("%s combines by 'avg', 'sum', 'min', 'max', 'count' or 'median', not %q", c.Name, method)
	}
	if !(seconds >= 1 && seconds <= MaxRollupSeconds) {
		return nil, fmt.Errorf("the window of %s lies between 1 and %d seconds", c.Name, MaxRollupSeconds)
	}
	for i := range list {
		n := max(1, int(int64(seconds)*1000/list[i].Step))
		list[i].Values = trailing(list[i].Values, min(n, len(list[i].Values)), func(w []float64) float64 {
			switch method {
			case "median":
				return median(w)
			case "count":
				return float64(len(w))
			default:
				return Reduce(w, method)
			}
		})
	}
	return list, nil
}
