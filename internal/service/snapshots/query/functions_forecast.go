package query

import (
	"fmt"
	"math"
)

const day = 24 * 60 * 60 * 1000

// forecast continues each series from its last value to the end of the range,
// with a band of so many standard deviations. 'linear' follows the line of
// least squares; 'seasonal' adds how each time of the day differs from it on
// average, and needs two days of values. To see the future, a request asks
// for a range that ends there.
func forecast(c *Call, list []Series) ([]Series, error) {
	method, deviations := c.text(1, ""), c.num(2, 2)
	if method != "linear" && method != "seasonal" {
		return nil, fmt.Errorf("forecast is 'linear' or 'seasonal', not %q", method)
	}
	if !(deviations >= 0 && deviations <= 10) {
		return nil, fmt.Errorf("the deviations of forecast lie between 0 and 10, not %g", deviations)
	}
	if err := tooMany(c, list); err != nil {
		return nil, err
	}
	var out []Series
	for _, s := range list {
		out = append(out, s)
		model, last, err := s.model(method == "seasonal")
		if err != nil {
			return nil, err
		}
		if model == nil {
			continue // too few values to say anything
		}
		expected := s.marked(MarkForecast)
		spread := make([]float64, len(s.Values))
		sigma := math.Sqrt(squaredError(present(s.Values, model)) / float64(last+1))
		for i := range model {
			spread[i] = sigma
			if i <= last {
				model[i] = math.NaN() // what happened needs no forecast
			}
			expected.Values[i] = model[i]
		}
		if last < len(s.Values) {
			expected.Values[last] = s.Values[last] // where the forecast begins
		}
		out = append(append(out, expected), s.band(model, spread, deviations)...)
	}
	return out, nil
}

// model is what a series is expected to be at each point, nil when there are
// less than two values, and the place of its last value.
func (s Series) model(seasonal bool) (model []float64, last int, err error) {
	var x, y []float64
	for i, v := range s.Values {
		if !math.IsNaN(v) {
			x, y, last = append(x, float64(i)), append(y, v), i
		}
	}
	if len(x) < 2 {
		return nil, 0, nil
	}
	if seasonal && (x[len(x)-1]-x[0]+1)*float64(s.Step) < 2*day {
		return nil, 0, fmt.Errorf("a seasonal forecast needs two days of values")
	}
	slope, offset := leastSquares(x, y)
	model = make([]float64, len(s.Values))
	for i := range model {
		model[i] = slope*float64(i) + offset
	}
	if seasonal {
		s.addSeason(model)
	}
	return model, last, nil
}

// addSeason moves the model by the mean difference of each time of the day.
func (s Series) addSeason(model []float64) {
	slots := int(max(1, day/s.Step))
	slot := func(i int) int { return int((s.Start+int64(i)*s.Step)%day/s.Step) % slots }
	sum, n := make([]float64, slots), make([]float64, slots)
	for i, v := range s.Values {
		if !math.IsNaN(v) {
			sum[slot(i)] += v - model[i]
			n[slot(i)]++
		}
	}
	for i := range model {
		if k := slot(i); n[k] > 0 {
			model[i] += sum[k] / n[k]
		}
	}
}
