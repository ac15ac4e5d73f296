package metrics

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb"
	"github.com/prometheus/prometheus/util/compression"

	"stoa.dev/stoa/internal/service/snapshots/query"
)

// Options of a local store.
type Options struct {
	Dir       string
	Retention time.Duration
	// Late is how far behind the newest point older ones are still taken.
	Late time.Duration
	// MaxSeries is how many series a PromQL query may read; 0 is the default of
	// the other language.
	MaxSeries int
	// MaxActive is how many series an organization may have in the head of the
	// store, where new points go; 0 is any number.
	MaxActive int
	Log       *slog.Logger
	// Opened is called once, after the engine was opened, before its first use.
	Opened func(*Local)
}

func (o Options) maxSeries() int {
	if o.MaxSeries > 0 {
		return o.MaxSeries
	}
	return query.DefaultLimits().Series
}

// Local is the embedded store. It is safe for concurrent use.
type Local struct {
	o      Options
	mu     sync.Mutex
	closed bool
	db     *tsdb.DB
	flush  *flusher
	engine *promql.Engine
	series sync.Map // text of a series to *known
	count  int      // entries in series, guarded by mu
	active active
}

// known is a series that was written before: its labels and the engine's
// reference, which spares hashing the labels.
type known struct {
	key    string
	labels labels.Labels
	ref    storage.SeriesRef
}

// maxKnown bounds the memory of known series; beyond it the map starts anew.
const maxKnown = 200_000

// NewLocal returns a store that opens its folder on first use.
func NewLocal(o Options) *Local { return &Local{o: o} }

// open returns the engine.
func (l *Local) open() (*tsdb.DB, error) {
	l.mu.Lock()
	if l.closed || l.db != nil {
		defer l.mu.Unlock()
		if l.closed {
			return nil, ErrClosed
		}
		return l.db, nil
	}
	err := l.openLocked()
	db := l.db
	l.mu.Unlock()
	if err != nil {
		return nil, fmt.Errorf("open metrics store: %w", err)
	}
	if l.o.Opened != nil {
		l.o.Opened(l)
	}
	return db, nil
}

func (l *Local) openLocked() error {
	o := tsdb.DefaultOptions()
	o.RetentionDuration = l.o.Retention.Milliseconds()
	// Blocks grow up to a tenth of the retention, as the engine's authors advise.
	o.MaxBlockDuration = max(o.MinBlockDuration, min(l.o.Retention/10, 31*24*time.Hour).Milliseconds())
	o.OutOfOrderTimeWindow = l.o.Late.Milliseconds()
	o.NoLockfile = true // the data folder has one owner already
	o.WALCompression = compression.Snappy
	o.StripeSize = 1 << 10
	o.HeadChunksWriteBufferSize = 256 << 10
	log := lowerLevel(l.o.Log)
	db, err := tsdb.Open(l.o.Dir, log, nil, o, nil)
	if err != nil {
		return err
	}
	l.db, l.flush = db, &flusher{dir: l.o.Dir}
	l.engine = newEngine(log)
	return nil
}

// Opened reports whether the engine is in use.
func (l *Local) Opened() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.db != nil
}

// Close ends the engine. A store that was never opened has nothing to close.
func (l *Local) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	if l.db == nil {
		return nil
	}
	l.flush.workers.Wait()
	return errors.Join(l.engine.Close(), l.db.Close())
}

// Write stores points of an organization and returns when they are durable. Samples of a series
// need no order. A repeated sample is stored once; a different value at a time
// that has one already is kept one millisecond later, so that nothing is lost.
func (l *Local) Write(ctx context.Context, org string, list []Series) (Written, error) {
	var w Written
	db, err := l.open()
	if err != nil {
		return w, err
	}
	app := db.Appender(ctx)
	if err := l.appendAll(ctx, db, app, org, list, &w); err != nil {
		return Written{}, errors.Join(err, app.Rollback())
	}
	if err := app.Commit(); err != nil {
		return Written{}, fmt.Errorf("store points: %w", err)
	}
	if w.Stored == 0 {
		return w, nil
	}
	return w, l.flush.wait()
}

// appendAll adds all series, or none when the organization has too many.
func (l *Local) appendAll(
	ctx context.Context, db *tsdb.DB, app storage.Appender, org string, list []Series, w *Written,
) error {
	found, fresh := l.resolve(app, org, list)
	if l.o.MaxActive > 0 && fresh > 0 {
		l.active.mu.Lock()
		defer l.active.mu.Unlock()
		if found, fresh = l.resolve(app, org, list); fresh > 0 { // others may have made them
			if err := l.active.reserve(ctx, db, org, fresh, l.o.MaxActive); err != nil {
				return err
			}
		}
	}
	for i := range list {
		if err := l.append(app, found[i], &list[i], w); err != nil {
			return err
		}
	}
	return nil
}

func (l *Local) append(app storage.Appender, k known, s *Series, w *Written) error {
	slices.SortStableFunc(s.Samples, func(a, b Sample) int { return int(a.Ms - b.Ms) })
	last := int64(math.MinInt64)
	for i, p := range s.Samples {
		if i > 0 && p == s.Samples[i-1] {
			continue
		}
		ms := max(p.Ms, last+1)
		last = ms
		ref, err := appendSample(app, k, ms, p)
		for try := int64(1); try <= 10 && errors.Is(err, storage.ErrDuplicateSampleForTimestamp); try++ {
			ref, err = appendSample(app, k, ms+try, p)
			last = ms + try
		}
		switch {
		case err == nil:
			k.ref = ref
			w.Stored++
		case errors.Is(err, storage.ErrTooOldSample), errors.Is(err, storage.ErrOutOfBounds), errors.Is(err,
			storage.ErrOutOfOrderSample):
			w.TooOld++
		default:
			return fmt.Errorf("store a point of %s: %w", s.Metric, err)
		}
	}
	l.remember(k.key, k)
	return nil
}

func appendSample(app storage.Appender, k known, ms int64, p Sample) (storage.SeriesRef, error) {
	if p.Sketch != nil {
		return app.AppendHistogram(k.ref, k.labels, ms, nil, toHistogram(p.Sketch))
	}
	return app.Append(k.ref, k.labels, ms, p.Value)
}

// known returns labels and reference of a series. It returns a copy, so that
// concurrent writers of one series do not share memory.
func (l *Local) known(key, org string, s *Series) known {
	if v, ok := l.series.Load(key); ok {
		if k, ok := v.(known); ok {
			return k
		}
	}
	return known{labels: toLabels(org, s.Metric, s.Tags)}
}

func (l *Local) remember(key string, k known) {
	if v, ok := l.series.Load(key); ok {
		if old, ok := v.(known); ok && old.ref == k.ref {
			return
		}
	}
	l.mu.Lock()
	if l.count++; l.count > maxKnown {
		l.series.Clear()
		l.count = 1
	}
	l.mu.Unlock()
	l.series.Store(key, k)
}

func seriesKey(org string, s *Series) string {
	return org + "\x00" + s.Metric + "\x00" + strings.Join(s.Tags, "\x00")
}
