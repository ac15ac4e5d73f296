package generate

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/service/generate/api"
)

// timed is a connection that notes the deadline of every write.
type timed struct {
	*httptest.ResponseRecorder
	deadline time.Time
	writes   []time.Time
}

func (w *timed) SetWriteDeadline(t time.Time) error { w.deadline = t; return nil }

func (w *timed) Write(b []byte) (int, error) {
	w.writes = append(w.writes, w.deadline)
	return w.ResponseRecorder.Write(b)
}

// TestChunksWaitForReaders bounds how long a caller who reads nothing holds a
// stream, and leaves pauses between chunks unbounded.
func TestChunksWaitForReaders(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	w := &timed{ResponseRecorder: httptest.NewRecorder()}
	c := &chunks{w: w, control: http.NewResponseController(w), clock: clock.NewVirtual(now), begin: func() {}}
	for range 2 {
		if err := c.send(api.Response{}); err != nil {
			t.Fatal(err)
		}
		if !w.deadline.IsZero() {
			t.Errorf("a deadline of %v is left after a chunk", w.deadline)
		}
	}
	for i, got := range w.writes {
		if want := now.Add(writeTime); !got.Equal(want) {
			t.Errorf("write %d: deadline %v, want %v", i, got, want)
		}
	}
	if len(w.writes) != 2 {
		t.Errorf("%d writes, want 2", len(w.writes))
	}
}
