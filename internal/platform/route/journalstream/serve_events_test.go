package journalstream_test

import (
	"net/http/httptest"
	"testing"

	"stoa.dev/stoa/internal/platform/journal"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/journalstream"
)

// begins tells when an answer begins.
type begins struct {
	*httptest.ResponseRecorder
	begun chan struct{}
}

// WriteHeader implements http.ResponseWriter.
func (w begins) WriteHeader(status int) {
	w.ResponseRecorder.WriteHeader(status)
	close(w.begun)
}

// TestServe: what is wanted of a request is sent, and the stream ends with its world.
func TestServe(t *testing.T) {
	t.Parallel()
	kept := journal.New(journal.Options{})
	kept.SetMode(journal.Brief)
	w := begins{httptest.NewRecorder(), make(chan struct{})}
	done := make(chan error)
	stream := journalstream.Stream{
		Journal: kept, Last: "event: end\n\n",
		Event: func(r *journal.Record, _ *journal.Watcher) (string, error) {
			if r.Path() == "/other" {
				return "", nil
			}
			return "data: " + r.Path() + "\n\n", nil
		},
	}
	go func() {
		done <- stream.Serve(w, &route.Request{Request: httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)})
	}()
	<-w.begun
	for _, path := range []string{"/other", "/wanted"} {
		kept.Begin(t.Context()).Finish(&journal.Entry{Service: "labels", Method: "GET", Path: path, Status: 200})
	}
	kept.Close()
	if err := <-done; err != nil || w.Body.String() != "data: /wanted\n\nevent: end\n\n" {
		t.Errorf("%v, %q", err, w.Body)
	}
}
