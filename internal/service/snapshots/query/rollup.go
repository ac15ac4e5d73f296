package query

import "math"

// roller combines the values of one stored series per bucket.
type roller struct {
	grid     grid
	method   string
	acc      []float64
	count    []float64
	sketches []*Sketch
}

func newRoller(g grid, method string) *roller {
	return &roller{grid: g, method: method, acc: make([]float64, g.n), count: make([]float64, g.n)}
}

// reset prepares the roller for the next series.
func (r *roller) reset() {
	clear(r.acc)
	clear(r.count)
	r.sketches = nil
}

// read walks the samples; any reports whether one fell into the grid.
func (r *roller) read(s Samples) (any bool, err error) {
	r.reset()
	for s.Next() {
		ms, v := s.At()
		i := r.grid.bucket(ms)
		if i < 0 || i >= r.grid.n {
			continue
		}
		if sk := s.Sketch(); sk != nil {
			r.addSketch(i, sk)
			any = true
			continue
		}
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		r.add(i, v)
		any = true
	}
	return any, s.Err()
}

func (r *roller) add(i int, v float64) {
	switch {
	case r.count[i] == 0:
		r.acc[i] = v
	case r.method == "min":
		r.acc[i] = min(r.acc[i], v)
	case r.method == "max":
		r.acc[i] = max(r.acc[i], v)
	default:
		r.acc[i] += v
	}
	r.count[i]++
}

func (r *roller) addSketch(i int, sk *Sketch) {
	if r.sketches == nil {
		r.sketches = make([]*Sketch, r.grid.n)
	}
	if r.sketches[i] == nil {
		r.sketches[i] = NewSketch()
	}
	r.sketches[i].Merge(sk)
}

// bins is how many bins the distributions of the series have.
func (r *roller) bins() int {
	n := 0
	for _, sk := range r.sketches {
		if sk != nil {
			n += len(sk.Positive) + len(sk.Negative)
		}
	}
	return n
}

// values returns a fresh vector with NaN for empty buckets, each value
// multiplied by factor.
func (r *roller) values(factor float64) []float64 {
	out := make([]float64, r.grid.n)
	for i, n := range r.count {
		switch {
		case n == 0:
			out[i] = math.NaN()
		case r.method == "count":
			out[i] = n * factor
		case r.method == "avg":
			out[i] = r.acc[i] / n * factor
		default:
			out[i] = r.acc[i] * factor
		}
	}
	return out
}

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
