//go:build !small

package metrics

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
)

// Write stores points of an organization and returns when they are durable. Samples of a series
// need no order. A point replaces the one that the series has at the same
// millisecond, however often and in whatever order points are sent.
func (l *Local) Write(ctx context.Context, org string, list []Series) (Written, error) {
	db, err := l.open()
	if err != nil {
		return Written{}, err
	}
	defer l.inUse.Done()
	list, keys := merged(org, list)
	l.writing.RLock()
	unlock := l.locks.lock(keys)
	w, err := l.writeLocked(ctx, db, org, list, keys)
	unlock()
	l.writing.RUnlock()
	if err != nil || w.Stored == 0 {
		return w, err
	}
	l.moveLateWhenMany()
	return w, l.flush.wait()
}

// merged joins the entries of a submission that are about one series, so that a
// later entry replaces an earlier one.
func merged(org string, list []Series) (out []Series, keys []string) {
	out, keys = make([]Series, 0, len(list)), make([]string, 0, len(list))
	at, copied := make(map[string]int, len(list)), make(map[int]bool)
	for i := range list {
		key := seriesKey(org, &list[i])
		if have, ok := at[key]; ok {
			if !copied[have] { // what follows the points of an entry may be those of another
				out[have].Samples, copied[have] = slices.Clip(out[have].Samples), true
			}
			out[have].Samples = append(out[have].Samples, list[i].Samples...)
			continue
		}
		at[key] = len(out)
		out, keys = append(out, list[i]), append(keys, key)
	}
	return out, keys
}

func (l *Local) writeLocked(
	ctx context.Context, db *tsdb.DB, org string, list []Series, keys []string,
) (w Written, err error) {
	b := &batch{app: db.Appender(ctx), db: db, list: list}
	defer func() { err = errors.Join(err, b.close()) }()
	if err := l.appendAll(ctx, b, org, keys); err != nil {
		return Written{}, errors.Join(err, b.app.Rollback())
	}
	if err := b.app.Commit(); err != nil {
		return Written{}, fmt.Errorf("store points: %w", err)
	}
	for i := range b.found {
		l.remember(b.found[i])
	}
	l.late.points.Add(int64(b.late))
	return b.written, nil
}

// batch is one write: what is appended, and a reader of what is stored.
type batch struct {
	app     storage.Appender
	db      *tsdb.DB
	list    []Series
	found   []known
	written Written
	late    int             // points that the engine keeps apart until they are moved
	reader  storage.Querier // opened for the first point that may replace another
}

func (b *batch) close() error {
	if b.reader == nil {
		return nil
	}
	return b.reader.Close()
}

// appendAll adds all series, or none when the organization has too many.
func (l *Local) appendAll(ctx context.Context, b *batch, org string, keys []string) error {
	var fresh int
	b.found, fresh = l.resolve(b.app, org, keys, b.list)
	if l.o.MaxActive > 0 && fresh > 0 {
		l.active.mu.Lock()
		defer l.active.mu.Unlock()
		if b.found, fresh = l.resolve(b.app, org, keys, b.list); fresh > 0 { // others may have made them
			if err := l.active.reserve(ctx, b.db, org, fresh, l.o.MaxActive); err != nil {
				return err
			}
		}
	}
	for i := range b.list {
		if err := b.append(ctx, &b.found[i], &b.list[i]); err != nil {
			return err
		}
	}
	return nil
}

// append adds the points of one series.
func (b *batch) append(ctx context.Context, k *known, s *Series) error {
	samples := lastOfEach(s.Samples)
	revisions, err := b.revisions(ctx, k, samples)
	if err != nil {
		return err
	}
	for i, p := range samples {
		revision := int64(0)
		if i < len(revisions) {
			revision = revisions[i]
		}
		if revision == isStored {
			continue
		}
		if revision > maxRevision {
			return &RevisionError{s.Metric}
		}
		ref, err := appendSample(b.app, k, stampOf(p.Ms, revision), p)
		switch {
		case err == nil:
			if p.Ms <= k.last {
				b.late++
			}
			k.ref, k.last = ref, max(k.last, p.Ms)
			b.written.Stored++
		case errors.Is(err, storage.ErrTooOldSample), errors.Is(err, storage.ErrOutOfBounds),
			errors.Is(err, storage.ErrOutOfOrderSample):
			b.written.TooOld++
		default:
			return fmt.Errorf("store a point of %s: %w", s.Metric, err)
		}
	}
	return nil
}

// lastOfEach is samples in the order of their times, the last one of each time.
func lastOfEach(list []Sample) []Sample {
	inOrder := true
	for i := 1; i < len(list) && inOrder; i++ {
		inOrder = list[i-1].Ms < list[i].Ms
	}
	if inOrder {
		return list
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b Sample) int { return int(a.Ms - b.Ms) })
	out := list[:0]
	for i, p := range list {
		if i+1 == len(list) || list[i+1].Ms != p.Ms {
			out = append(out, p)
		}
	}
	return out
}

func appendSample(app storage.Appender, k *known, stamp int64, p Sample) (storage.SeriesRef, error) {
	if p.Sketch != nil {
		return app.AppendHistogram(k.ref, k.labels, stamp, nil, toHistogram(p.Sketch))
	}
	return app.Append(k.ref, k.labels, stamp, p.Value)
}

// isStored is the revision of a point that is stored already with its value.
const isStored = -1

// revisions are those of the samples that are not later than every stored one: 0
// for a new time, otherwise one more than what is stored there.
func (b *batch) revisions(ctx context.Context, k *known, samples []Sample) ([]int64, error) {
	n := 0
	for n < len(samples) && samples[n].Ms <= k.last {
		n++
	}
	if n == 0 {
		return nil, nil
	}
	if err := b.open(); err != nil {
		return nil, err
	}
	late, out := samples[:n], make([]int64, n)
	exact := make([]*labels.Matcher, 0, k.labels.Len())
	k.labels.Range(func(l labels.Label) {
		exact = append(exact, labels.MustNewMatcher(labels.MatchEqual, l.Name, l.Value))
	})
	hints := &storage.SelectHints{Start: firstStamp(late[0].Ms), End: lastStamp(late[n-1].Ms), DisableTrimming: true}
	set := b.reader.Select(ctx, false, hints, exact...)
	for set.Next() {
		// Those with more tags match too.
		if !labels.Equal(set.At().Labels(), k.labels) {
			continue
		}
		if err := compare(late, out, set.At().Iterator(nil)); err != nil {
			return nil, err
		}
	}
	return out, set.Err()
}

// compare finds the revisions of samples, which are in order, among stored ones.
func compare(late []Sample, revisions []int64, it chunkenc.Iterator) error {
	stored := newest{Iterator: it}
	kind := chunkenc.ValNone
	at, started := int64(0), false
	for i, p := range late {
		if !started || at < p.Ms {
			if kind = stored.Seek(p.Ms); kind == chunkenc.ValNone {
				return stored.Err()
			}
			at, started = stored.AtT(), true
		}
		if at != p.Ms {
			continue
		}
		if revisions[i] = revisionOf(stored.Iterator.AtT()) + 1; same(&stored, kind, p) {
			revisions[i] = isStored
		}
	}
	return stored.Err()
}

// same reports whether the stored value is that of a sample.
func same(stored chunkenc.Iterator, kind chunkenc.ValueType, p Sample) bool {
	if kind == chunkenc.ValFloat {
		_, v := stored.At()
		return p.Sketch == nil && math.Float64bits(v) == math.Float64bits(p.Value)
	}
	if p.Sketch == nil {
		return false
	}
	_, h := stored.AtFloatHistogram(nil)
	have := toSketch(h)
	return have.Count == p.Sketch.Count && have.Sum == p.Sketch.Sum && have.Zero == p.Sketch.Zero &&
		maps.Equal(have.Positive, p.Sketch.Positive) && maps.Equal(have.Negative, p.Sketch.Negative)
}

// open makes the reader, for the times of the whole batch.
func (b *batch) open() error {
	if b.reader != nil {
		return nil
	}
	from, to := int64(math.MaxInt64), int64(math.MinInt64)
	for i := range b.list {
		for _, p := range b.list[i].Samples {
			from, to = min(from, p.Ms), max(to, p.Ms)
		}
	}
	reader, err := b.db.Querier(firstStamp(from), lastStamp(to))
	if err != nil {
		return fmt.Errorf("read stored points: %w", err)
	}
	b.reader = reader
	return nil
}
