package wirefault_test

import (
	"bytes"
	"errors"
	"net/http"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/route/wirefault"
)

// sink is a ResponseWriter that counts.
type sink struct {
	bytes.Buffer
	flushes int
}

func (s *sink) Header() http.Header { return http.Header{} }
func (s *sink) WriteHeader(int)     {}
func (s *sink) Flush()              { s.flushes++ }

// TestWriter checks on a clock that is moved that a body goes out at its rate, and is
// cut where it is to be.
func TestWriter(t *testing.T) {
	t.Parallel()
	v := clock.NewVirtual(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC))
	began := v.Now()
	out := &sink{}
	sleep := func(d time.Duration) error { return clock.Sleep(t.Context(), v, d) }
	p := &wirefault.Writer{Sleep: sleep, BytesPerSecond: 20, Cutting: true, Left: 50}
	done := make(chan error, 1)
	go func() {
		_, err := p.Write(out, bytes.Repeat([]byte("x"), 40))
		done <- err
	}()
	for waiting := true; waiting; {
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			waiting = false
		default:
			if at, ok := v.NextDue(); ok {
				v.Set(at)
			}
		}
	}
	if took := v.Now().Sub(began); took != 2*time.Second || out.flushes != 20 || out.Len() != 40 || p.Cut() {
		t.Errorf("%d bytes took %s with %d flushes, want 2 s for 40 bytes", out.Len(), took, out.flushes)
	}
	p.BytesPerSecond = 0
	n, err := p.Write(out, bytes.Repeat([]byte("x"), 40))
	if n != 10 || !errors.Is(err, wirefault.ErrCut) || out.Len() != 50 || !p.Cut() {
		t.Errorf("%d bytes and %v, want ten and a cut", n, err)
	}
	if n, err := p.Write(out, []byte("x")); n != 0 || !errors.Is(err, wirefault.ErrCut) {
		t.Errorf("after the cut: %d, %v", n, err)
	}
}

func TestMark(t *testing.T) {
	t.Parallel()
	if got := wirefault.Marked(t.Context()) + wirefault.Marked(wirefault.Mark(t.Context(), "x")); got != "x" {
		t.Errorf("got %q", got)
	}
}
