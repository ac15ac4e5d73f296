//go:build !small

package metrics

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
)

// flusher makes the engine's logs durable. Writers that arrive while a flush
// runs share the next one.
type flusher struct {
	dir     string
	mu      sync.Mutex
	running bool
	waiting []chan error
	workers sync.WaitGroup
}

// wait returns when everything written before the call is on disk.
func (f *flusher) wait() error {
	done := make(chan error, 1)
	f.mu.Lock()
	f.waiting = append(f.waiting, done)
	if !f.running {
		f.running = true
		f.workers.Add(1)
		go f.work()
	}
	f.mu.Unlock()
	return <-done
}

// work flushes until no caller waits.
func (f *flusher) work() {
	defer f.workers.Done()
	for {
		f.mu.Lock()
		batch := f.waiting
		f.waiting = nil
		f.running = len(batch) > 0
		f.mu.Unlock()
		if len(batch) == 0 {
			return
		}
		err := f.flush()
		for _, done := range batch {
			done <- err
		}
	}
}

// flush syncs the newest two segments of both logs: a segment may have been
// completed between the write and now.
func (f *flusher) flush() error {
	var failed []error
	for _, log := range []string{"wal", "wbl"} {
		dir := filepath.Join(f.dir, log)
		entries, err := os.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		failed = append(failed, err)
		last := -1
		for _, e := range entries {
			if n, err := strconv.Atoi(e.Name()); err == nil && !e.IsDir() {
				last = max(last, n)
			}
		}
		for n := max(last-1, 0); n <= last; n++ {
			failed = append(failed, syncFile(filepath.Join(dir, segmentName(n))))
		}
	}
	return errors.Join(failed...)
}

func segmentName(n int) string {
	s := strconv.Itoa(n)
	for len(s) < 8 {
		s = "0" + s
	}
	return s
}

// syncFile flushes a file that another writer has open; one that was removed
// after a checkpoint needs no flush.
func syncFile(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}
