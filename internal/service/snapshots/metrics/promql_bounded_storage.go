//go:build !small

package metrics

import (
	"context"
	"slices"

	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"

	"stoa.dev/stoa/internal/service/snapshots/query"
)

// Bounds of what one evaluation reads and allocates.
const (
	// pointBytes is a point in the engine, twice: that of an operand and that of
	// the result; seriesBytes is what a series takes beside its points.
	pointBytes  = 2 * 16
	seriesBytes = 2048
	// maxSteps is how many points the engine allocates in a series at once.
	maxSteps = 5_000
	// maxPromBytes bounds the memory of all series of a query.
	maxPromBytes = 128 << 20
	// maxVisits is how many values the windows of one series may hold together:
	// the engine looks at the clock only between two series.
	maxVisits = 20_000_000
	// checkEvery is how many samples pass between two looks at a window.
	checkEvery = 1024
)

// reading is what one evaluation has read so far.
type reading struct {
	org      string
	limit    int // series
	distinct int64
	reserve  ReserveMemory
	series   int
	bytes    int64
	err      error
}

// take counts one series for which the engine allocates steps points.
func (r *reading) take(steps int64) bool {
	if r.err != nil {
		return false
	}
	if r.series++; r.series > r.limit {
		r.err = refuseProm(0, "the query reads more than %d series; select fewer", r.limit)
		return false
	}
	bytes := seriesBytes + min(steps, maxSteps)*pointBytes + r.distinct*r.distinct*pointBytes/2
	if r.bytes += bytes; r.bytes > maxPromBytes {
		r.err = refuseProm(0, "%d series take too much memory over this time; select fewer or ask for fewer points",
			r.series)
		return false
	}
	if r.reserve != nil {
		r.err = r.reserve(bytes)
	}
	return r.err == nil
}

// scoped shows one organization's series only, whatever the expression selects,
// and no more of them than one evaluation may read.
type scoped struct {
	storage.Queryable
	reading *reading
}

// Querier narrows every selection.
func (s scoped) Querier(from, to int64) (storage.Querier, error) {
	q, err := s.Queryable.Querier(firstStamp(from), lastStamp(to))
	return scopedQuerier{q, s.reading}, err
}

type scopedQuerier struct {
	storage.Querier
	reading *reading
}

// Select adds the organization to the matchers.
func (q scopedQuerier) Select(
	ctx context.Context, sorted bool, h *storage.SelectHints, m ...*labels.Matcher,
) storage.SeriesSet {
	inner := h
	if h != nil { // the engine below counts in stamps
		stamped := *h
		stamped.Start, stamped.End = firstStamp(h.Start), lastStamp(h.End)
		inner = &stamped
	}
	set := q.Querier.Select(ctx, sorted, inner, append(slices.Clip(m), ofOrg(q.reading.org))...)
	out := &boundSet{SeriesSet: set, ctx: ctx, reading: q.reading, steps: 1, overlap: 1}
	if h != nil && h.Step > 0 {
		out.window = h.Range
		out.steps = max(h.End-h.Start-h.Range, 0)/h.Step + 1
		out.overlap = max(1, min(h.Range/h.Step, out.steps))
	}
	return out
}

// boundSet counts the series that the engine takes.
type boundSet struct {
	storage.SeriesSet
	ctx     context.Context
	reading *reading
	window  int64 // milliseconds that a function looks at, 0 without one
	steps   int64
	overlap int64 // windows that a sample lies in
}

// Next stops at the bounds of the evaluation.
func (s *boundSet) Next() bool {
	return s.reading.err == nil && s.SeriesSet.Next() && s.reading.take(s.steps)
}

// Err tells which bound it was.
func (s *boundSet) Err() error {
	if s.reading.err != nil {
		return s.reading.err
	}
	return s.SeriesSet.Err()
}

// At is the series, whose samples are counted too.
func (s *boundSet) At() storage.Series { return boundSeries{s.SeriesSet.At(), s} }

type boundSeries struct {
	storage.Series
	set *boundSet
}

// Iterator reuses the memory of one that is done.
func (s boundSeries) Iterator(it chunkenc.Iterator) chunkenc.Iterator {
	b, ok := it.(*boundIterator)
	if !ok {
		b = &boundIterator{}
	}
	*b = boundIterator{newest: newest{Iterator: s.Series.Iterator(b.Iterator)}, set: s.set, marks: b.marks[:0]}
	return b
}

// boundIterator counts the samples of one series: those of a window are held in
// memory before the engine counts them. The engine seeks once and then walks.
type boundIterator struct {
	newest
	set   *boundSet
	seen  int64 // weight of all samples
	check int64
	marks []mark // times at which seen was noted
	err   error
}

type mark struct{ ms, seen int64 }

// Next counts a sample.
func (b *boundIterator) Next() chunkenc.ValueType {
	if b.err != nil {
		return chunkenc.ValNone
	}
	return b.count(b.newest.Next())
}

// AtFloatHistogram counts a histogram by its buckets.
func (b *boundIterator) AtFloatHistogram(h *histogram.FloatHistogram) (int64, *histogram.FloatHistogram) {
	ms, h := b.newest.AtFloatHistogram(h)
	b.seen += int64(len(h.PositiveBuckets)+len(h.NegativeBuckets)) / 2
	return ms, h
}

// AtHistogram counts a histogram by its buckets.
func (b *boundIterator) AtHistogram(h *histogram.Histogram) (int64, *histogram.Histogram) {
	ms, h := b.newest.AtHistogram(h)
	b.seen += int64(len(h.PositiveBuckets)+len(h.NegativeBuckets)) / 2
	return ms, h
}

func (b *boundIterator) count(kind chunkenc.ValueType) chunkenc.ValueType {
	if b.seen++; kind == chunkenc.ValNone || b.seen < b.check {
		return kind
	}
	b.check = b.seen + checkEvery
	if b.err = b.bounds(b.AtT()); b.err != nil {
		b.set.reading.err = b.err
		return chunkenc.ValNone
	}
	return kind
}

// bounds looks at the window that ends at a time.
func (b *boundIterator) bounds(ms int64) error {
	if err := context.Cause(b.set.ctx); err != nil {
		return err
	}
	if b.set.window == 0 {
		return nil
	}
	if b.seen*b.set.overlap > maxVisits {
		return refuseProm(0, "a series has too many points for so long a range; use a shorter one")
	}
	b.marks = append(b.marks, mark{ms, b.seen})
	for b.marks[0].ms < ms-b.set.window {
		b.marks = b.marks[1:]
	}
	if b.seen-b.marks[0].seen > promSamples {
		return &query.Error{
			Reason: "a range holds too many samples of one series; use a shorter one", Line: 1, Column: 1,
		}
	}
	return nil
}

// Err tells which bound it was.
func (b *boundIterator) Err() error {
	if b.err != nil {
		return b.err
	}
	return b.newest.Err()
}
