package simulation

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"stoa.dev/stoa/internal/platform/database"
)

// point counts a call that writes, and says whether the process ends at it.
func (s *faultyStore) point(ctx context.Context, call database.Call) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.armed || call != database.CallWrite || ctx.Value(mark{}) != s.requests {
		return false
	}
	s.points = append(s.points, s.name)
	return len(s.points) == s.options.Point
}

// end ends the process around a call. What the world goes on with is copied now.
func (s *faultyStore) end(run func() error) error {
	var failed error
	size := s.log()
	if s.options.Moment != BeforeCommit {
		failed = run()
		all := s.log()
		if s.options.Moment == AfterCommit || all < size {
			size = all
		}
		size += (all - size) / 2
	}
	err := s.image(size)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.met++
	s.ended, s.broken = true, err
	return errors.Join(failed, errEnded)
}

// errEnded is what the process that is no more would have been told.
var errEnded = fmt.Errorf("simulated: the process has ended: %w", database.ErrUnknown)

// revive lets a new process begin.
func (s *faultyStore) revive() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = false
}

// over reports whether the process has ended.
func (s *faultyStore) over() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended
}

// folder is that of a start.
func (s *simulated) folder(start int) string { return filepath.Join(s.dir, strconv.Itoa(start)) }

const logName = database.FileName + "-wal"

// logSize is how long the log of the database is now; it is not there before the first write.
func (s *simulated) logSize() int64 {
	info, err := os.Stat(filepath.Join(s.folder(s.starts-1), logName))
	if err != nil {
		return 0
	}
	return info.Size()
}

// copyHere copies the folder for the next start, with the first bytes of the log.
func (s *simulated) copyHere(log int64) error {
	to := s.folder(s.starts)
	if err := copyFiles(to, s.folder(s.starts-1)); err != nil {
		return err
	}
	err := os.Truncate(filepath.Join(to, logName), log)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// comeBack starts the world again if its process ended.
func (s *simulated) comeBack(ctx context.Context) bool {
	if !s.store.over() {
		return false
	}
	_ = s.app.Close() // its store answers no more
	s.store.revive()
	s.ended = true
	fmt.Fprintln(&s.transcript, "ended")
	s.failed = errors.Join(s.failed, s.store.broken, s.open(ctx, s.folder(s.starts)))
	return true
}
