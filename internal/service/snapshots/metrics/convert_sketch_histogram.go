//go:build !small

package metrics

import (
	"slices"

	"github.com/prometheus/prometheus/model/histogram"

	"stoa.dev/stoa/internal/service/snapshots/query"
)

// resolution is the engine's finest schema: 256 buckets for a factor of two,
// the same bins that a sketch has.
const resolution = 8

// toHistogram writes a sketch as a native histogram. It is a gauge histogram:
// each one stands for itself and none continues the one before.
func toHistogram(s *query.Sketch) *histogram.FloatHistogram {
	h := &histogram.FloatHistogram{
		Schema: resolution, Count: s.Count, Sum: s.Sum, ZeroCount: s.Zero, CounterResetHint: histogram.GaugeType,
	}
	h.PositiveSpans, h.PositiveBuckets = spans(s.Positive)
	h.NegativeSpans, h.NegativeBuckets = spans(s.Negative)
	return h
}

// spans lists the bins in runs of neighbours.
func spans(bins map[int32]float64) ([]histogram.Span, []float64) {
	index := make([]int32, 0, len(bins))
	for i := range bins {
		index = append(index, i)
	}
	slices.Sort(index)
	var out []histogram.Span
	var counts []float64
	next := int32(0)
	for _, i := range index {
		if len(out) == 0 || i != next {
			out = append(out, histogram.Span{Offset: i - next})
		}
		out[len(out)-1].Length++
		counts = append(counts, bins[i])
		next = i + 1
	}
	return out, counts
}

// toSketch reads a histogram of any exponential schema.
func toSketch(h *histogram.FloatHistogram) *query.Sketch {
	s := query.NewSketch()
	s.Count, s.Sum, s.Zero = h.Count, h.Sum, h.ZeroCount
	shift := int32(resolution) - h.Schema
	if h.UsesCustomBuckets() || shift < 0 {
		return s
	}
	for it := h.PositiveBucketIterator(); it.Next(); {
		addBucket(s.Positive, it.At().Index, shift, it.At().Count)
	}
	for it := h.NegativeBucketIterator(); it.Next(); {
		addBucket(s.Negative, it.At().Index, shift, it.At().Count)
	}
	return s
}

// addBucket leaves out buckets beyond all finite values, which only a broken
// sender fills.
func addBucket(bins map[int32]float64, index, shift int32, count float64) {
	if i := int64(index) << shift; i >= -query.MaxBin && i <= query.MaxBin {
		bins[int32(i)] += count
	}
}
