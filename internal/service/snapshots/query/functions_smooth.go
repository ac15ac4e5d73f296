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
	if !(seconds >= 1 && seconds <= maxRollupSeconds) {
		return nil, fmt.Errorf("the window of %s lies between 1 and %d seconds", c.Name, maxRollupSeconds)
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

// trends replaces a series by a line that follows it.
func trends(name string) (function, bool) {
	switch name {
	case "trend_line":
		return perSeries("q", func(_ *Call, s *Series) { drawLine(s.Values, leastSquares) }), true
	case "robust_trend":
		f := perSeries("q", func(_ *Call, s *Series) { drawLine(s.Values, theilSen) })
		f.cost = func(_ *Call, list []Series) int { return len(list) * trendCost }
		return f, true
	case "piecewise_constant":
		return perSeries("q", func(_ *Call, s *Series) { piecewise(s.Values) }), true
	}
	return function{}, false
}

// drawLine fits slope and offset to the values present and fills the range from
// the first to the last of them.
func drawLine(v []float64, fit func(x, y []float64) (slope, offset float64)) {
	var x, y []float64
	for i, val := range v {
		if !math.IsNaN(val) {
			x, y = append(x, float64(i)), append(y, val)
		}
	}
	if len(x) < 2 {
		return
	}
	a, b := fit(x, y)
	for i := int(x[0]); i <= int(x[len(x)-1]); i++ {
		v[i] = a*float64(i) + b
	}
}

func leastSquares(x, y []float64) (slope, offset float64) {
	n := float64(len(x))
	var sx, sy, sxx, sxy float64
	for i := range x {
		sx += x[i]
		sy += y[i]
		sxx += x[i] * x[i]
		sxy += x[i] * y[i]
	}
	slope = (n*sxy - sx*sy) / (n*sxx - sx*sx)
	return slope, (sy - slope*sx) / n
}

// trendCost is the pairs of a thinned series, sorted.
const trendCost = 200 * 200 / 2 * sortCost

// theilSen is the median of the slopes of all pairs, which a few outliers do
// not move. Long series are thinned so that the pairs stay few.
func theilSen(x, y []float64) (slope, offset float64) {
	stride := max(1, len(x)/200)
	var slopes, offsets []float64
	for i := 0; i < len(x); i += stride {
		for j := i + stride; j < len(x); j += stride {
			slopes = append(slopes, (y[j]-y[i])/(x[j]-x[i]))
		}
	}
	slope = median(slopes)
	for i := range x {
		offsets = append(offsets, y[i]-slope*x[i])
	}
	return slope, median(offsets)
}

// piecewise cuts a series where splitting reduces the squared error most, as
// long as the gain is worth a cut, and levels each piece.
func piecewise(v []float64) {
	var index []int
	for i, x := range v {
		if !math.IsNaN(x) {
			index = append(index, i)
		}
	}
	if len(index) < 2 {
		return
	}
	y := make([]float64, len(index))
	for k, i := range index {
		y[k] = v[i]
	}
	level(y, squaredError(y)*0.05, 8)
	for k, i := range index {
		v[i] = y[k]
	}
}

// level splits y recursively; worth is the least gain that justifies a cut.
func level(y []float64, worth float64, depth int) {
	n := len(y)
	sum, squares := make([]float64, n+1), make([]float64, n+1)
	for i, x := range y {
		sum[i+1], squares[i+1] = sum[i]+x, squares[i]+x*x
	}
	cost := func(a, b int) float64 {
		s := sum[b] - sum[a]
		return squares[b] - squares[a] - s*s/float64(b-a)
	}
	best, cut := worth, -1
	for i := 2; i <= n-2 && depth > 0; i++ {
		if gain := cost(0, n) - cost(0, i) - cost(i, n); gain > best {
			best, cut = gain, i
		}
	}
	if cut > 0 {
		level(y[:cut], worth, depth-1)
		level(y[cut:], worth, depth-1)
		return
	}
	mean := sum[n] / float64(n)
	for i := range y {
		y[i] = mean
	}
}

func squaredError(y []float64) float64 {
	mean, out := 0.0, 0.0
	for _, x := range y {
		mean += x / float64(len(y))
	}
	for _, x := range y {
		out += (x - mean) * (x - mean)
	}
	return out
}
