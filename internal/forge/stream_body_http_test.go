package forge

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/iotest"
	"time"

	"stoa.dev/stoa/internal/forge/git"
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
	body := &paced{
		from: iotest.OneByteReader(bytes.NewReader(make([]byte, chunk+1))), conn: http.NewResponseController(w),
	}
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
	s, err := git.New(DefaultConfig().gitOptions(t.TempDir(), 1<<30)).TempFile(t.Context(), budget.Caller("ada"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Write(make([]byte, 2*chunk)); err != nil {
		t.Fatal(err)
	}
	s.Finish(nil)
	w := &timed{ResponseRecorder: httptest.NewRecorder()}
	begun, err := send(t.Context(), w, s, answer{head: "head"})
	if !begun || err != nil || w.Body.Len() != 2*chunk+4 {
		t.Errorf("begun %v, %v, %d bytes", begun, err, w.Body.Len())
	}
	if n := len(w.writes); n != 4 || w.writes[0].IsZero() || !w.writes[n-1].IsZero() {
		t.Errorf("deadlines %v, want one for each chunk, for the end, and then none", w.writes)
	}
}
