package query

import "math"

// roller combines the values of one stored series per bucket.
type roller struct {
	grid     grid
	method   string
	acc      []float64
	count    []float64
	first    []int64 // time of the first value of a bucket
	last     int64   // time of the last value so far
	gap      int64   // the least distance of two values, 0 unknown
	sketches []*Sketch
}

func newRoller(g grid, method string) *roller {
	return &roller{
		grid: g, method: method, acc: make([]float64, g.n), count: make([]float64, g.n), first: make([]int64, g.n),
	}
}

// reset prepares the roller for the next series.
func (r *roller) reset() {
	clear(r.acc)
	clear(r.count)
	r.sketches, r.last, r.gap = nil, 0, 0
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
		} else {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				continue
			}
			r.add(i, ms, v)
		}
		if any && (r.gap == 0 || ms-r.last < r.gap) {
			r.gap = ms - r.last
		}
		r.last, any = ms, true
	}
	return any, s.Err()
}

func (r *roller) add(i int, ms int64, v float64) {
	switch {
	case r.count[i] == 0:
		r.acc[i], r.first[i] = v, ms
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

// values returns a fresh vector with NaN for empty buckets, each value as the
// mode has it.
func (r *roller) values(c conversion) []float64 {
	out := make([]float64, r.grid.n)
	for i, n := range r.count {
		switch {
		case n == 0:
			out[i] = math.NaN()
			continue
		case r.method == "count":
			out[i] = n
		case r.method == "avg":
			out[i] = r.acc[i] / n
		default:
			out[i] = r.acc[i]
		}
		out[i] *= c.factor
		if c.perSecond {
			out[i] /= r.seconds(i, c.interval)
		}
	}
	return out
}

// conversion turns combined values into what as_count and as_rate promise.
type conversion struct {
	factor    float64
	perSecond bool
	interval  int64 // milliseconds that a value stands for, 0 unknown
}

// seconds is the time that the combined value of a bucket stands for. A value
// stands for the interval that was sent, whatever the bucket: a sum for as many
// intervals as begin in the bucket, those without a value too.
func (r *roller) seconds(i int, interval int64) float64 {
	if interval == 0 {
		interval = r.spacing()
	}
	if r.method == "sum" || r.method == "count" {
		into := r.first[i] - r.grid.shift - r.grid.start - int64(i)*r.grid.step
		interval *= 1 + into/interval + (r.grid.step-1-into)/interval
	}
	return float64(interval) / 1000
}

// spacing is the interval of a sender that names none: the least distance of its
// values, in whole seconds because times jitter, and a bucket when there is one
// value only.
func (r *roller) spacing() int64 {
	switch {
	case r.gap == 0:
		return r.grid.step
	case r.gap < 1000:
		return r.gap
	default:
		return (r.gap + 500) / 1000 * 1000
	}
}
