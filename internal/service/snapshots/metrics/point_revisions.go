//go:build !small

package metrics

import (
	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
)

// The engine keeps one value per series and time and never changes it. A point
// that is sent again is therefore a revision of its own: the engine's times, here
// stamps, are milliseconds with the revision in the lowest bits, counted down, so
// that the newest revision of a point comes first and the others are passed over.
const (
	revisionBits = 12
	// maxRevision is how often a point can be replaced by another value.
	maxRevision = 1<<revisionBits - 1
)

// stampOf is the engine's time of a revision of a point.
func stampOf(ms, revision int64) int64 { return ms<<revisionBits | (maxRevision - revision) }

// firstStamp and lastStamp are the first and last engine time of a millisecond.
func firstStamp(ms int64) int64 { return ms << revisionBits }
func lastStamp(ms int64) int64  { return ms<<revisionBits | maxRevision }

func millisecondOf(stamp int64) int64 { return stamp >> revisionBits }

func revisionOf(stamp int64) int64 { return maxRevision - stamp&maxRevision }

// newest walks the newest revision of each point; its times are milliseconds.
type newest struct {
	chunkenc.Iterator
	ms      int64
	started bool
}

// Next passes over what was replaced.
func (n *newest) Next() chunkenc.ValueType {
	for {
		kind := n.Iterator.Next()
		if kind == chunkenc.ValNone {
			return kind
		}
		if ms := millisecondOf(n.Iterator.AtT()); !n.started || ms != n.ms {
			n.ms, n.started = ms, true
			return kind
		}
	}
}

// milliseconds is a time; its name keeps Seek from being taken for that of io.Seeker.
type milliseconds = int64

// Seek goes to the first point at or after a time.
func (n *newest) Seek(ms milliseconds) chunkenc.ValueType {
	kind := n.Iterator.Seek(firstStamp(ms))
	if kind == chunkenc.ValNone {
		return kind
	}
	// The iterator stays where it is when that is late enough; otherwise it
	// stands on the newest revision, which is the first one.
	n.ms, n.started = millisecondOf(n.Iterator.AtT()), true
	return kind
}

// At is the value and its millisecond.
func (n *newest) At() (int64, float64) {
	_, v := n.Iterator.At()
	return n.ms, v
}

// AtHistogram is the distribution and its millisecond.
func (n *newest) AtHistogram(h *histogram.Histogram) (int64, *histogram.Histogram) {
	_, h = n.Iterator.AtHistogram(h)
	return n.ms, h
}

// AtFloatHistogram is the distribution and its millisecond.
func (n *newest) AtFloatHistogram(h *histogram.FloatHistogram) (int64, *histogram.FloatHistogram) {
	_, h = n.Iterator.AtFloatHistogram(h)
	return n.ms, h
}

// AtT is the millisecond of the point.
func (n *newest) AtT() int64 { return n.ms }

// AtST is 0: points have no start.
func (n *newest) AtST() int64 { return 0 }
