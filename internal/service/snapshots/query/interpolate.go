package query

import "math"

const defaultFillSeconds = 300

// interpolate closes holes in place as the fill says. The default closes short
// holes between two values with a straight line, so that series that report at
// different moments can be added up.
func interpolate(v []float64, step int64, f Fill) {
	limit := f.Limit * 1000
	switch f.Method {
	case "null":
	case "zero":
		for i := range v {
			if math.IsNaN(v[i]) {
				v[i] = 0
			}
		}
	case "last":
		last := -1
		for i := range v {
			if !math.IsNaN(v[i]) {
				last = i
			} else if last >= 0 && int64(i-last)*step <= limit {
				v[i] = v[last]
			}
		}
	default:
		if f.Method == "" {
			limit = defaultFillSeconds * 1000
		}
		linear(v, step, limit)
	}
}

func linear(v []float64, step, limit int64) {
	last := -1
	for i := range v {
		if math.IsNaN(v[i]) {
			continue
		}
		if n := i - last; last >= 0 && n > 1 && int64(n)*step <= limit {
			for j := 1; j < n; j++ {
				v[last+j] = v[last] + (v[i]-v[last])*float64(j)/float64(n)
			}
		}
		last = i
	}
}
