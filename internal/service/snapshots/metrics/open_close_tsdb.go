//go:build !small

package metrics

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/tsdb"
	"github.com/prometheus/prometheus/util/compression"

	"stoa.dev/stoa/internal/service/snapshots/query"
)

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
	// inUse counts the calls that hold the engine; it grows under mu only.
	inUse  sync.WaitGroup
	db     *tsdb.DB
	flush  *flusher
	engine *promql.Engine
	series sync.Map // text of a series to known
	count  int      // entries in series, guarded by mu
	// last is the time of the newest point of the series that are not in the
	// map; newest that of all points. Both are guarded by mu.
	last, newest int64
	active       active
	locks        *seriesLocks
	late         late
	plain        plainValues
	writing      sync.RWMutex // held for reading by writers
}

// NewLocal returns a store that opens its folder on first use.
func NewLocal(o Options) *Local {
	return &Local{o: o, locks: newSeriesLocks(), late: late{most: maxLate}}
}

// open returns the engine, which stays open until the caller is done with it:
// each open that succeeds is followed by one inUse.Done.
func (l *Local) open() (*tsdb.DB, error) {
	db, first, err := l.take()
	if err == nil && first && l.o.Opened != nil {
		l.o.Opened(l)
	}
	return db, err
}

// take also reports whether this caller opened the engine.
func (l *Local) take() (db *tsdb.DB, first bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, false, ErrClosed
	}
	if first = l.db == nil; first {
		if err := l.openLocked(); err != nil {
			return nil, false, fmt.Errorf("open metrics store: %w", err)
		}
	}
	l.inUse.Add(1)
	return l.db, first, nil
}

func (l *Local) openLocked() error {
	log, dir := lowerLevel(l.o.Log), filepath.Join(l.o.Dir, pointsDir)
	// The library makes folders that others on the machine may read.
	if err := os.MkdirAll(l.o.Dir, 0o700); err != nil {
		return err
	}
	if err := os.Chmod(l.o.Dir, 0o700); err != nil {
		return err
	}
	if err := l.convert(log); err != nil {
		return err
	}
	if err := errors.Join(removeRenamed(dir), l.late.found(dir)); err != nil {
		return err
	}
	db, err := tsdb.Open(dir, log, nil, l.engineOptions(revisionBits), nil)
	if err != nil {
		return err
	}
	l.db, l.flush = db, &flusher{dir: dir}
	l.engine = newEngine(log)
	l.last = math.MinInt64
	for _, b := range db.Blocks() {
		l.last = max(l.last, millisecondOf(b.MaxTime()))
	}
	if head := db.Head(); head.NumSeries() > 0 {
		l.last = max(l.last, millisecondOf(head.MaxTime()))
	}
	l.newest = l.last
	return nil
}

// engineOptions counts time in units of which a millisecond has 2^bits.
func (l *Local) engineOptions(bits int) *tsdb.Options {
	o := tsdb.DefaultOptions()
	o.RetentionDuration = l.o.Retention.Milliseconds() << bits
	o.MinBlockDuration <<= bits
	// Blocks grow up to a tenth of the retention, as the engine's authors advise.
	o.MaxBlockDuration = max(o.MinBlockDuration, min(l.o.Retention/10, 31*24*time.Hour).Milliseconds()<<bits)
	o.OutOfOrderTimeWindow = o.RetentionDuration
	// As many points of a chunk as of one that came in order: a query reads a list of all chunks.
	o.OutOfOrderCapMax = 120
	o.NoLockfile = true // the data folder has one owner already
	o.WALCompression = compression.Snappy
	o.StripeSize = 1 << 10
	o.HeadChunksWriteBufferSize = 256 << 10
	// A segment is allocated whole before it is written: half a gigabyte for a
	// small block otherwise, which a small disk does not have.
	o.MaxBlockChunkSegmentSize = 32 << 20
	return o
}

// Opened reports whether the engine is in use.
func (l *Local) Opened() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.db != nil
}

// Close ends the engine when no call holds it. A store that was never opened has
// nothing to close.
func (l *Local) Close() error {
	l.mu.Lock()
	again := l.closed
	l.closed = true
	l.mu.Unlock()
	// A call that holds the engine takes mu.
	l.inUse.Wait()
	if again || l.db == nil {
		return nil
	}
	l.flush.workers.Wait()
	return l.closeEngine()
}
