package files

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/blob/format"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/ids"
)

func start() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

func open(t *testing.T) *Store {
	t.Helper()
	s, err := New(t.TempDir(), clock.NewVirtual(start()), ids.Seeded(1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func (s *Store) put(t *testing.T, key string) {
	t.Helper()
	o := blob.PutOptions{ContentType: "text/plain", Expires: start().Add(time.Hour)}
	if _, err := s.Put(t.Context(), key, strings.NewReader("text"), o); err != nil {
		t.Fatal(err)
	}
}

// TestNothingIsFlushedUnderALock: keys share locks, and a flush may take long.
func TestNothingIsFlushedUnderALock(t *testing.T) {
	t.Parallel()
	s := open(t)
	flushes := 0
	s.flush = func(f *os.File) error {
		flushes++
		for i := range s.locks.stripes {
			if !s.locks.stripes[i].TryLock() {
				t.Errorf("%s is flushed under a lock", f.Name())
				continue
			}
			s.locks.stripes[i].Unlock()
		}
		return f.Sync()
	}
	for _, key := range []string{"a/b", "a/c", "d"} {
		s.put(t, key)
	}
	if err := s.Delete(t.Context(), "a/c"); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Sweep(t.Context(), start().Add(2*time.Hour)); err != nil || n != 2 {
		t.Errorf("swept %d, %v; want 2", n, err)
	}
	if flushes < 10 {
		t.Errorf("%d flushes", flushes)
	}
}

// TestSweepOfManyNotes: they are read in pieces, and none is left.
func TestSweepOfManyNotes(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.flush = func(*os.File) error { return nil }
	const all = 2*notesAtOnce + 1
	for i := range all {
		s.put(t, fmt.Sprintf("%d/%d", i%7, i))
	}
	if n, err := s.Sweep(t.Context(), start()); err != nil || n != 0 {
		t.Errorf("%d went before their time, %v", n, err)
	}
	swept := 0
	for n, err := 1, error(nil); n > 0; swept += n {
		if n, err = s.Sweep(t.Context(), start().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	left, err := s.names(format.DueDir)
	if swept != all || err != nil || len(left) > 0 {
		t.Errorf("swept %d of %d, %d notes are left, %v", swept, all, len(left), err)
	}
}
