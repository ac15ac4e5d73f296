package query

import "math"

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
