//go:build !small

package metrics

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"sync/atomic"

	"github.com/prometheus/prometheus/tsdb"
)

// maxLate is how many late points the engine keeps in its memory and log. By itself it moves them
// into blocks only when newer points have filled one, which after an import of the past may be
// never: a query then reads all of them, and so does the next start.
const maxLate = 1_000_000

// lateSize is about what a late point takes in the log.
const lateSize = 8

// maxMovedSeries is how many series with recent points may be moved as well, so that the files of
// late points, which they share, are removed. Writers wait meanwhile. With more series, points
// come all the time, and the engine moves these within hours.
const maxMovedSeries = 20_000

// late counts the points that came after a newer one of their series.
type late struct {
	most   int64
	points atomic.Int64
	moving atomic.Bool
}

// found estimates how many late points an earlier process left in the log.
func (c *late) found(dir string) error {
	size := int64(0)
	err := filepath.WalkDir(filepath.Join(dir, "wbl"), func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	c.points.Store(size / lateSize)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
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
	if db.Head().NumSeries() <= maxMovedSeries {
		if err := l.moveRecent(db); err != nil {
			return err
		}
	}
	return db.Compact(ctx)
}

// moveRecent moves what came in order, too. The engine expects that no such point is added to
// what it moves.
func (l *Local) moveRecent(db *tsdb.DB) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	head := db.Head()
	if head.NumSeries() == 0 {
		return nil
	}
	return db.CompactHead(tsdb.NewRangeHead(head, head.MinTime(), head.MaxTime()))
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
