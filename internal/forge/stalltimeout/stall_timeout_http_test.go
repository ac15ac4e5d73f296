package stalltimeout

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http/httptest"
	"testing"
	"testing/iotest"
	"time"
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
	body := Body(w, iotest.OneByteReader(bytes.NewReader(make([]byte, chunk+1))))
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
	left := 2
	next := func(_ context.Context, buffer []byte) (int, error) {
		if left == 0 {
			return 0, io.EOF
		}
		left--
		return chunk, nil
	}
	w := &timed{ResponseRecorder: httptest.NewRecorder()}
	begun, err := Send(t.Context(), w, next, func() error { _, err := io.WriteString(w, "head"); return err })
	if !begun || err != nil || w.Body.Len() != 2*chunk+4 {
		t.Errorf("begun %v, %v, %d bytes", begun, err, w.Body.Len())
	}
	if n := len(w.writes); n != 4 || w.writes[0].IsZero() || !w.writes[n-1].IsZero() {
		t.Errorf("deadlines %v, want one for each chunk, for the end, and then none", w.writes)
	}
}

// TestNothingIsSaidBeforeAnError leaves the answer to the caller.
func TestNothingIsSaidBeforeAnError(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	w := &timed{ResponseRecorder: httptest.NewRecorder()}
	begun, err := Send(t.Context(), w, func(context.Context, []byte) (int, error) { return 0, broken },
		func() error { t.Error("the head is written"); return nil })
	if begun || !errors.Is(err, broken) || w.Body.Len() > 0 {
		t.Errorf("begun %v, %v, %d bytes", begun, err, w.Body.Len())
	}
}
