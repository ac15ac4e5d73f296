//go:build !small

package metrics

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"

	"stoa.dev/stoa/internal/service/snapshots/query"
)

// Select hands every matching series to each.
func (l *Local) Select(
	ctx context.Context, org string, s query.Selection, each func(query.Tags, query.Samples) error,
) (err error) {
	db, err := l.open()
	if err != nil {
		return err
	}
	defer l.inUse.Done()
	q, err := db.Querier(firstStamp(s.From), lastStamp(s.To-1))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, q.Close()) }()
	hints := &storage.SelectHints{Start: firstStamp(s.From), End: lastStamp(s.To - 1), DisableTrimming: true}
	plain, err := l.plain.of(ctx, db, s.Scope)
	if err != nil {
		return err
	}
	set := q.Select(ctx, false, hints, matchers(org, s.Metric, s.Scope, plain)...)
	var it chunkenc.Iterator
	for n := 0; set.Next(); n++ {
		if n%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		series := set.At()
		tags := labelTags{series.Labels()}
		if !s.Scope.Match(tags) {
			continue
		}
		it = series.Iterator(it)
		if err := each(tags, &samples{it: &newest{Iterator: it}, from: s.From, to: s.To}); err != nil {
			return err
		}
	}
	return set.Err()
}

// samples walks an iterator of the engine within a time range. The engine may
// return whole chunks, so the range is checked again.
type samples struct {
	it       *newest
	from, to int64
	kind     chunkenc.ValueType
	ms       int64
	v        float64
	sketch   *query.Sketch
}

func (s *samples) Next() bool {
	for {
		if s.kind = s.it.Next(); s.kind == chunkenc.ValNone {
			return false
		}
		if !s.read() {
			continue
		}
		if s.ms >= s.to {
			return false
		}
		if s.ms >= s.from {
			return true
		}
	}
}

// read takes the current value.
func (s *samples) read() bool {
	s.sketch = nil
	switch s.kind {
	case chunkenc.ValFloat:
		s.ms, s.v = s.it.At()
	case chunkenc.ValHistogram, chunkenc.ValFloatHistogram:
		ms, h := s.it.AtFloatHistogram(nil)
		s.ms, s.sketch = ms, toSketch(h)
	default:
		return false
	}
	return true
}

func (s *samples) At() (int64, float64)  { return s.ms, s.v }
func (s *samples) Sketch() *query.Sketch { return s.sketch }
func (s *samples) Err() error            { return s.it.Err() }

// maxNames is how many names are listed at most, and nameBytes what one takes.
const (
	maxNames  = 100_000
	nameBytes = 64
)

// Names lists the metrics of an organization that have points between two times (milliseconds)
// and, when tag is not empty, carry it.
func (l *Local) Names(
	ctx context.Context, org string, from, to int64, tag string, reserve ReserveMemory,
) (_ []string, err error) {
	db, err := l.open()
	if err != nil {
		return nil, err
	}
	defer l.inUse.Done()
	q, err := db.Querier(firstStamp(from), lastStamp(to))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, q.Close()) }()
	var scope query.Filter = query.Everything{}
	if key, value, ok := strings.Cut(strings.ToLower(tag), ":"); ok {
		scope = query.Has{Key: key, Value: value}
	}
	plain, err := l.plain.of(ctx, db, scope)
	if err != nil {
		return nil, err
	}
	limit := &storage.LabelHints{Limit: maxNames}
	names, _, err := q.LabelValues(ctx, nameLabel, limit, matchers(org, "", scope, plain)...)
	if err == nil && reserve != nil {
		err = reserve(int64(len(names)) * nameBytes)
	}
	slices.Sort(names)
	return names, err
}
