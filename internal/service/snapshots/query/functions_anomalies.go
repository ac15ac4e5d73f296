package query

import (
	"fmt"
	"math"
	"slices"
)

// What a series is beside a plain result.
const (
	MarkUpper    = "upper"    // the upper edge of a band
	MarkLower    = "lower"    // the lower edge of a band
	MarkForecast = "forecast" // what a series is expected to do
	MarkNormal   = "usual"    // like most others of its group
	MarkOutlier  = "outlier"  // unlike most others of its group
)

// maxJudged bounds how many series are compared or given a band.
const maxJudged = 200

// likeSigma makes the median deviation of a normal distribution its standard
// deviation.
const likeSigma = 1.4826

// detection finds what is out of the ordinary.
func detection(name string) (function, bool) {
	switch name {
	case "anomalies":
		return function{args: "qsn", keeps: true, apply: anomalies, cost: judgeCost}, true
	case "outliers":
		return function{args: "qs|nn", keeps: true, apply: outliers, cost: judgeCost}, true
	case "forecast":
		return function{args: "qs|n", keeps: true, apply: forecast}, true
	}
	return function{}, false
}

// judgeCost is what each of at most maxJudged series is compared with: the
// others, or a quarter of its own values.
func judgeCost(_ *Call, list []Series) int {
	n := 0
	for i := range list {
		n += len(list[i].Values)*max(len(list), len(list[i].Values)/4) + trendCost
	}
	return n
}

func tooMany(c *Call, list []Series) error {
	if len(list) > maxJudged {
		return fmt.Errorf("%s compares at most %d series, not %d", c.Name, maxJudged, len(list))
	}
	return nil
}

// anomalies puts a band around each series: the median of its neighbourhood,
// wider by so many deviations on both sides. 'basic' looks at the quarter of
// the range before a point, 'agile' at a sixteenth, so that it follows a new
// level soon; 'robust' expects the trend of the whole range.
func anomalies(c *Call, list []Series) ([]Series, error) {
	bounds := c.num(2, 2)
	if !(bounds >= 1 && bounds <= 6) {
		return nil, fmt.Errorf("the bounds of anomalies lie between 1 and 6, not %g", bounds)
	}
	if err := tooMany(c, list); err != nil {
		return nil, err
	}
	var out []Series
	for _, s := range list {
		var middle, spread []float64
		switch method := c.text(1, ""); method {
		case "basic":
			middle, spread = neighbourhood(s.Values, max(10, len(s.Values)/4))
		case "agile":
			middle, spread = neighbourhood(s.Values, max(5, len(s.Values)/16))
		case "robust":
			middle, spread = aroundTrend(s.Values)
		default:
			return nil, fmt.Errorf("anomalies are found by 'basic', 'agile' or 'robust', not %q", method)
		}
		out = append(append(out, s), s.band(middle, spread, bounds)...)
	}
	return out, nil
}

// neighbourhood is the median and the deviation of each point and the n-1
// before it. The window is kept in order, so that a point costs no sorting.
func neighbourhood(v []float64, n int) (middle, spread []float64) {
	middle, spread = make([]float64, len(v)), make([]float64, len(v))
	var window []float64
	for i, x := range v {
		if i >= n && !math.IsNaN(v[i-n]) {
			at, _ := slices.BinarySearch(window, v[i-n])
			window = slices.Delete(window, at, at+1)
		}
		if math.IsNaN(x) {
			middle[i], spread[i] = x, x
			continue
		}
		at, _ := slices.BinarySearch(window, x)
		window = slices.Insert(window, at, x)
		middle[i] = middleOf(window)
		spread[i] = likeSigma * medianDistance(window, middle[i])
	}
	return middle, spread
}

// middleOf is the median of values in order.
func middleOf(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// medianDistance is the median distance of values in order from a middle: the
// nearest are taken from both sides until half of them is seen.
func medianDistance(sorted []float64, middle float64) float64 {
	n := len(sorted)
	right, _ := slices.BinarySearch(sorted, middle)
	left := right - 1
	var before, last float64
	for range n/2 + 1 {
		before = last
		if right == n || left >= 0 && middle-sorted[left] < sorted[right]-middle {
			last = middle - sorted[left]
			left--
		} else {
			last = sorted[right] - middle
			right++
		}
	}
	if n%2 == 0 {
		return (before + last) / 2
	}
	return last
}

// aroundTrend is the trend of the whole range and one deviation from it.
func aroundTrend(v []float64) (middle, spread []float64) {
	middle = slices.Clone(v)
	drawLine(middle, theilSen)
	rest := present(v, middle)
	d := 0.0
	if len(rest) > 0 {
		d = deviation(rest, 0)
	}
	spread = make([]float64, len(v))
	for i := range spread {
		spread[i] = d
	}
	return middle, spread
}

// present is the differences of two lists where both have a value.
func present(a, b []float64) []float64 {
	var out []float64
	for i := range a {
		if d := a[i] - b[i]; !math.IsNaN(d) {
			out = append(out, d)
		}
	}
	return out
}

// deviation is the median distance from the middle; it reuses v.
func deviation(v []float64, middle float64) float64 {
	for i := range v {
		v[i] = math.Abs(v[i] - middle)
	}
	return likeSigma * median(v)
}

// band is two series so many deviations below and above a middle.
func (s Series) band(middle, spread []float64, bounds float64) []Series {
	lower, upper := s.marked(MarkLower), s.marked(MarkUpper)
	for i := range middle {
		lower.Values[i] = middle[i] - bounds*spread[i]
		upper.Values[i] = middle[i] + bounds*spread[i]
	}
	return []Series{lower, upper}
}

// marked is a series beside this one, without values yet.
func (s Series) marked(mark string) Series {
	s.Mark, s.Values = mark, make([]float64, len(s.Values))
	return s
}
