//go:build !small

package metrics

import (
	"context"
	"errors"
	"math"
	"sync/atomic"

	"github.com/prometheus/prometheus/tsdb"
)

// maxLate is how many late points the engine keeps in its memory and log. By itself it moves them
// into blocks only when newer points have filled one, which after an import of the past may be
// never: a query then reads all of them, and so does the next start.
const maxLate = 1_000_000

// late counts the points that came after a newer one of their series.
type late struct {
	most   int64
	points atomic.Int64
	moving atomic.Bool
}

// found takes late points that an earlier process left for as many as may stay: their number is
// not known without reading them.
func (c *late) found(db *tsdb.DB) {
	if db.Head().MinOOOTime() != math.MaxInt64 {
		c.points.Store(c.most)
	}
}

// MoveLate moves late points out of the engine's memory and log into blocks, and joins blocks.
func (l *Local) MoveLate(ctx context.Context) error {
	db, err := l.open()
	if err != nil {
		return err
	}
	defer l.inUse.Done()
	l.late.points.Store(0)
	if err := db.CompactOOOHead(ctx); err != nil {
		return err
	}
	return db.Compact(ctx)
}

// moveLateWhenMany does so beside the writers, who need not wait for it.
func (l *Local) moveLateWhenMany() {
	if l.late.points.Load() < l.late.most || !l.late.moving.CompareAndSwap(false, true) {
		return
	}
	l.flush.workers.Go(func() {
		defer l.late.moving.Store(false)
		for l.late.points.Load() >= l.late.most {
			if err := l.MoveLate(context.Background()); err != nil {
				if !errors.Is(err, ErrClosed) {
					lowerLevel(l.o.Log).Error("metrics: late points stay in memory", "error", err)
				}
				return
			}
		}
	})
}
