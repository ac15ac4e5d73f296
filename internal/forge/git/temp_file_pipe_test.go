package git

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"stoa.dev/stoa/internal/platform/budget"
)

// options are those of a server with much memory.
func options(t *testing.T) Options {
	t.Helper()
	return Options{
		Program: "git", Dir: t.TempDir(), Timeout: 10 * time.Minute, Processes: 16, Memory: 1 << 30,
		TempFiles: 8 << 30, MaxPush: 1 << 30, MaxRepository: 10 << 30,
	}
}

// TestSlowReadersAreGivenUp fills the space on disk: the writer waits for the
// reader, and not for ever.
func TestSlowReadersAreGivenUp(t *testing.T) {
	t.Parallel()
	o := options(t)
	synctest.Test(t, func(t *testing.T) {
		r := New(o)
		r.slots.disk = budget.New(budget.Options{Name: "disk", Total: tempStep})
		s, err := r.TempFile(t.Context(), budget.Caller("ada"))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		s.Follows = true
		piece := bytes.Repeat([]byte("stoa"), tempStep/4)
		if _, err := s.Write(piece); err != nil {
			t.Fatal(err)
		}
		done := make(chan error)
		go func() {
			_, err := s.Write(piece)
			done <- err
		}()
		var read bytes.Buffer
		for read.Len() < tempStep {
			buffer := make([]byte, 64<<10)
			n, err := s.Next(t.Context(), buffer)
			if err != nil {
				t.Fatal(err)
			}
			read.Write(buffer[:n])
		}
		if err := <-done; err != nil || !bytes.Equal(read.Bytes(), piece) {
			t.Errorf("after the reader took everything: %v, the same bytes %v", err, bytes.Equal(read.Bytes(), piece))
		}
		if _, err := s.Write(piece); !errors.Is(err, errSlow) {
			t.Errorf("a reader that reads nothing: %v, want it given up", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		s.read = s.written
		if _, err := s.Next(ctx, piece); !errors.Is(err, context.Canceled) {
			t.Errorf("a reader that leaves: %v", err)
		}
	})
}
