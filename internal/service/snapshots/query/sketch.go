package query

import (
	"math"
	"slices"
)

// binsPerDoubling is the resolution of a sketch: neighbouring bins differ by a
// factor of 2^(1/256), so a quantile is exact to 0.14 percent.
const binsPerDoubling = 256

// Sketch is the distribution of many values: exact count and sum, and bins of
// growing width. Positive bin i holds values in (2^((i-1)/256), 2^(i/256)],
// negative bins the same of the magnitude.
type Sketch struct {
	Count, Sum         float64
	Zero               float64
	Positive, Negative map[int32]float64
}

// NewSketch returns an empty sketch.
func NewSketch() *Sketch {
	return &Sketch{Positive: map[int32]float64{}, Negative: map[int32]float64{}}
}

// Add counts one value.
func (s *Sketch) Add(v float64) { s.AddN(v, 1) }

// AddN counts a value n times. Values that are not finite have no bin and are
// left out.
func (s *Sketch) AddN(v, n float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return
	}
	s.Count += n
	s.Sum += v * n
	switch {
	case v > 0:
		s.Positive[bin(v)] += n
	case v < 0:
		s.Negative[bin(-v)] += n
	default:
		s.Zero += n
	}
}

// bin returns the index of a positive value.
func bin(v float64) int32 {
	i := int32(math.Ceil(math.Log2(v) * binsPerDoubling))
	// Logarithms round; the bin is defined by its bounds.
	if v <= Bound(i-1) {
		return i - 1
	}
	if v > Bound(i) {
		return i + 1
	}
	return i
}

// MaxBin is the last bin on either side of one that holds finite values.
const MaxBin = 1023 * binsPerDoubling

// Bound is the upper bound of a positive bin.
func Bound(i int32) float64 { return math.Exp2(float64(i) / binsPerDoubling) }

// Merge adds the values of o.
func (s *Sketch) Merge(o *Sketch) {
	s.Count += o.Count
	s.Sum += o.Sum
	s.Zero += o.Zero
	for i, n := range o.Positive {
		s.Positive[i] += n
	}
	for i, n := range o.Negative {
		s.Negative[i] += n
	}
}

// MaxBins is how many bins a submitted distribution keeps on either side.
const MaxBins = 4096

// Collapse joins the least of its bins, on either side of zero, into one until
// it has MaxBins: the upper quantiles stay exact.
func (s *Sketch) Collapse() {
	for _, bins := range []map[int32]float64{s.Positive, s.Negative} {
		if len(bins) <= MaxBins {
			continue
		}
		index := sorted(bins)
		extra := max(len(index)-MaxBins, 0)
		for _, i := range index[:extra] {
			bins[index[extra]] += bins[i]
			delete(bins, i)
		}
	}
}

// Bin is a range of values and how many there are.
type Bin struct{ Lo, Hi, Count float64 }

// Bins returns the filled bins in ascending order of value.
func (s *Sketch) Bins() []Bin {
	var out []Bin
	for _, i := range sorted(s.Negative) {
		out = append(out, Bin{-Bound(i), -Bound(i - 1), s.Negative[i]})
	}
	slices.Reverse(out)
	if s.Zero > 0 {
		out = append(out, Bin{0, 0, s.Zero})
	}
	for _, i := range sorted(s.Positive) {
		out = append(out, Bin{Bound(i - 1), Bound(i), s.Positive[i]})
	}
	return out
}

func sorted(m map[int32]float64) []int32 {
	keys := make([]int32, 0, len(m))
	for i, n := range m {
		if n > 0 {
			keys = append(keys, i)
		}
	}
	slices.Sort(keys)
	return keys
}

// Quantile returns the value below which the fraction q of all values lie; NaN
// when there are none. 0 is the least and 1 the greatest value.
func (s *Sketch) Quantile(q float64) float64 {
	bins := s.Bins()
	if len(bins) == 0 {
		return math.NaN()
	}
	rank, seen := q*(s.Count-1), 0.0
	for _, b := range bins {
		seen += b.Count
		if seen > rank {
			return (b.Lo + b.Hi) / 2
		}
	}
	last := bins[len(bins)-1]
	return (last.Lo + last.Hi) / 2
}

// stat reduces a sketch to what an aggregator asks for.
func (s *Sketch) stat(aggregator string) float64 {
	if s == nil || s.Count == 0 {
		return math.NaN()
	}
	switch aggregator {
	case "sum":
		return s.Sum
	case "count":
		return s.Count
	case "min":
		return s.Quantile(0)
	case "max":
		return s.Quantile(1)
	case "", "avg":
		return s.Sum / s.Count
	default:
		return s.Quantile(percentile(aggregator))
	}
}

// percentile reads p50, p75, p90, p95, p99 as a fraction, -1 for other words.
func percentile(s string) float64 {
	switch s {
	case "p50", "median":
		return 0.5
	case "p75":
		return 0.75
	case "p90":
		return 0.9
	case "p95":
		return 0.95
	case "p99":
		return 0.99
	default:
		return -1
	}
}
