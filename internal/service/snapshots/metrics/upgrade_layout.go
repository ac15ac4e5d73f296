//go:build !small

package metrics

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
)

// convertAtOnce is how many points are converted in one transaction.
const convertAtOnce = 10_000

// convert moves the points of a folder that an earlier version wrote, without
// revisions, to where they are now. What is done half is done again.
func (l *Local) convert(log *slog.Logger) (err error) {
	if _, err := os.Stat(filepath.Join(l.o.Dir, "wal")); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	dir := filepath.Join(l.o.Dir, pointsDir)
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		if err := l.convertTo(dir+".part", log); err != nil {
			return fmt.Errorf("convert points of an earlier version: %w", err)
		}
		if err := os.Rename(dir+".part", dir); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(l.o.Dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() != pointsDir {
			err = errors.Join(err, os.RemoveAll(filepath.Join(l.o.Dir, e.Name())))
		}
	}
	return err
}

func (l *Local) convertTo(dir string, log *slog.Logger) (err error) {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	from, err := tsdb.Open(l.o.Dir, log, nil, l.engineOptions(0), nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	to, err := tsdb.Open(dir, log, nil, l.engineOptions(revisionBits), nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	q, err := from.Querier(0, math.MaxInt64)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, q.Close()) }()
	set := q.Select(context.Background(), false, nil, labels.MustNewMatcher(labels.MatchNotEqual, orgLabel, ""))
	for set.Next() {
		if err := copySeries(to, set.At()); err != nil {
			return err
		}
	}
	return set.Err()
}

// copySeries appends all points of a series as their first revision.
func copySeries(to *tsdb.DB, s storage.Series) error {
	it := s.Iterator(nil)
	for kind := it.Next(); kind != chunkenc.ValNone; {
		app := to.Appender(context.Background())
		for n := 0; n < convertAtOnce && kind != chunkenc.ValNone; n++ {
			var err error
			if kind == chunkenc.ValFloat {
				ms, v := it.At()
				_, err = app.Append(0, s.Labels(), stampOf(ms, 0), v)
			} else {
				ms, h := it.AtFloatHistogram(nil)
				_, err = app.AppendHistogram(0, s.Labels(), stampOf(ms, 0), nil, h)
			}
			if err != nil && !errors.Is(err, storage.ErrTooOldSample) {
				return errors.Join(err, app.Rollback())
			}
			kind = it.Next()
		}
		if err := app.Commit(); err != nil {
			return err
		}
	}
	return it.Err()
}
