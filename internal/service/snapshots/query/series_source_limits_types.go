package query

import (
	"context"
	"math"
	"strings"
)

// Series is one result: values at Start, Start+Step, … (milliseconds); NaN where
// there is none.
type Series struct {
	Metric     string
	Aggregator string // empty when none was written
	Expression string
	Scope      string
	Tags       []string // of the group, "key:value"
	Unit       string
	Start      int64
	Step       int64
	Values     []float64
	Index      int    // of the expression it belongs to
	Sums       bool   // values are sums over more time than a sender's interval
	Mark       string // what it is beside a plain result, such as MarkUpper
}

// at returns the value at a time, NaN outside the series or between its points.
func (s *Series) at(ms int64) float64 {
	d := ms - s.Start
	if d < 0 || s.Step <= 0 || d%s.Step != 0 || d/s.Step >= int64(len(s.Values)) {
		return math.NaN()
	}
	return s.Values[d/s.Step]
}

// key identifies the group of a series.
func (s *Series) key() string { return strings.Join(s.Tags, ",") }

// MetricType says how stored values are meant.
type MetricType string

// The types. Rate values are per second.
const (
	Gauge       MetricType = "gauge"
	Count       MetricType = "count"
	Rate        MetricType = "rate"
	DistribType MetricType = "distribution"
	Unspecified MetricType = ""
)

// MaxInterval is above the longest interval, which is computed with in milliseconds.
const MaxInterval = 1_000_000_000

// Meta is what is known about a metric beside its values.
type Meta struct {
	Type     MetricType
	Interval int64 // seconds between submissions of counts and rates, 0 unknown
	Unit     string
}

// Samples walks the stored values of one series in time order. For a
// distribution Sketch is set and the value is ignored.
type Samples interface {
	Next() bool
	At() (ms int64, v float64)
	Sketch() *Sketch
	Err() error
}

// Selection is what a metric node asks of the store: times in milliseconds,
// from inclusive, to exclusive.
type Selection struct {
	Metric   string
	Scope    Filter
	From, To int64
	// Reserve takes memory for what the store has to hold meanwhile; nil takes none.
	Reserve func(bytes int64) error
}

// Source is where stored values come from.
type Source interface {
	// Meta returns the zero Meta for an unknown metric.
	Meta(ctx context.Context, metric string) (Meta, error)
	// Select calls each for every matching series and stops at its first error.
	// Samples are valid only during the call.
	Select(ctx context.Context, s Selection, each func(Tags, Samples) error) error
}

// Limits bounds an evaluation.
type Limits struct {
	Series int // stored series that one expression may read
	Groups int // series that one expression may return
	Points int // per result series
	Cells  int // groups times points, and bins of distributions, over all parts of a query
	Work   int // values that are looked at, over all parts of a query
}

// DefaultLimits are enough for dashboards and small enough for one process.
func DefaultLimits() Limits {
	return Limits{Series: 5000, Groups: 2000, Points: 1500, Cells: 3_000_000, Work: 200_000_000}
}
