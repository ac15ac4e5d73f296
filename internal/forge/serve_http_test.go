package forge

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"stoa.dev/stoa/internal/platform/budget"
)

// timed is a writer that knows deadlines and notes them.
type timed struct {
	*httptest.ResponseRecorder
	reads, writes []time.Time
}

func (w *timed) SetReadDeadline(at time.Time) error {
	w.reads = append(w.reads, at)
	return nil
}

func (w *timed) SetWriteDeadline(at time.Time) error {
	w.writes = append(w.writes, at)
	return nil
}

// TestBodiesArePaced sends byte by byte: a byte buys no time, a chunk does.
func TestBodiesArePaced(t *testing.T) {
	t.Parallel()
	w := &timed{ResponseRecorder: httptest.NewRecorder()}
	body := &paced{from: iotest.OneByteReader(bytes.NewReader(make([]byte, chunk+1))), conn: http.NewResponseController(w)}
	if n, err := io.Copy(io.Discard, struct{ io.Reader }{body}); n != chunk+1 || err != nil {
		t.Fatalf("read %d bytes, %v", n, err)
	}
	if len(w.reads) != 2 {
		t.Errorf("the time of the sender began %d times for two chunks", len(w.reads))
	}
}

// TestAnswersArePaced gives the client a time for every chunk, and none
// afterwards.
func TestAnswersArePaced(t *testing.T) {
	t.Parallel()
	f := &Forge{git: newGit(DefaultConfig(), t.TempDir(), 1<<30)}
	s, err := f.newSpool(t.Context(), budget.Caller("ada"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	if _, err := s.Write(make([]byte, 2*chunk)); err != nil {
		t.Fatal(err)
	}
	s.finish(nil)
	w := &timed{ResponseRecorder: httptest.NewRecorder()}
	begun, err := send(t.Context(), w, s, answer{head: "head"})
	if !begun || err != nil || w.Body.Len() != 2*chunk+4 {
		t.Errorf("begun %v, %v, %d bytes", begun, err, w.Body.Len())
	}
	if n := len(w.writes); n != 4 || w.writes[0].IsZero() || !w.writes[n-1].IsZero() {
		t.Errorf("deadlines %v, want one for each chunk, for the end, and then none", w.writes)
	}
}

// TestSlowReadersAreGivenUp fills the room on disk: the writer waits for the
// reader, and not for ever.
func TestSlowReadersAreGivenUp(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		config := DefaultConfig()
		f := &Forge{git: newGit(config, dir, 1<<30)}
		f.git.places.disk = budget.New(budget.Options{Name: "disk", Total: spoolStep})
		s, err := f.newSpool(t.Context(), budget.Caller("ada"))
		if err != nil {
			t.Fatal(err)
		}
		defer s.close()
		s.follows = true
		piece := bytes.Repeat([]byte("stoa"), spoolStep/4)
		if _, err := s.Write(piece); err != nil {
			t.Fatal(err)
		}
		done := make(chan error)
		go func() {
			_, err := s.Write(piece)
			done <- err
		}()
		var read bytes.Buffer
		for read.Len() < spoolStep {
			buffer := make([]byte, chunk)
			n, err := s.next(t.Context(), buffer)
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
		if _, err := s.next(ctx, piece); !errors.Is(err, context.Canceled) {
			t.Errorf("a reader that leaves: %v", err)
		}
	})
}
