package streams

import (
	"net/http"
	"net/http/httptest"
	"strings"
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
	c := &Chunks{w: w, control: http.NewResponseController(w), clock: clock.NewVirtual(now), begin: func() {}}
	for range 2 {
		if err := c.Send(api.Response{}); err != nil {
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

// flushed is a connection that tells of every flush.
type flushed struct {
	*httptest.ResponseRecorder
	flushes chan struct{}
}

func (w *flushed) FlushError() error { w.flushes <- struct{}{}; return nil }

// TestHeadersDoNotWaitForSlowModels opens a stream in which nothing was said yet, before its client
// gives up, and leaves one alone that has ended.
func TestHeadersDoNotWaitForSlowModels(t *testing.T) {
	t.Parallel()
	for _, events := range []bool{true, false} {
		v := clock.NewVirtual(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC))
		w := &flushed{httptest.NewRecorder(), make(chan struct{}, 2)}
		c := &Chunks{w: w, control: http.NewResponseController(w), clock: v, begin: func() {}, events: events}
		stop := c.OpenLater()
		v.Advance(openWithin)
		<-w.flushes
		if err := c.Send(api.Response{}); err != nil {
			t.Fatal(err)
		}
		stop()
		if err := c.End(); err != nil {
			t.Fatal(err)
		}
		body := w.Body.String()
		if w.Code != http.StatusOK || events != strings.HasPrefix(body, "data: {") ||
			!events && (!strings.HasPrefix(body, "[{") || !strings.HasSuffix(body, "}]")) {
			t.Errorf("events %t: %d %q", events, w.Code, body)
		}
		ended := &Chunks{w: w, control: http.NewResponseController(w), clock: v, begin: func() { t.Error("opened") }}
		ended.OpenLater()()
		v.Advance(openWithin)
	}
}
