package route

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/journal"
	"stoa.dev/stoa/internal/platform/route/answermemory"
	"stoa.dev/stoa/internal/platform/route/arrival"
	"stoa.dev/stoa/internal/platform/route/recording"
	"stoa.dev/stoa/internal/platform/route/sharedcache"
	"stoa.dev/stoa/internal/platform/route/wirefault"
)

// recorder is the ResponseWriter that handlers get. It notes status, size and
// whether the response has begun. Unwrap keeps every feature of the server's
// writer within reach of http.ResponseController.
type recorder struct {
	inner  http.ResponseWriter
	status int
	bytes  int64
	begun  bool
	unread bool // the caller is gone, or does not read
	known  bool // who asks has proved to be a caller

	// readTimeout is how long the caller may take to read a piece of the answer; 0
	// is for ever.
	readTimeout time.Duration
	streams     bool // it was flushed before its end

	// muted swallows what http.ServeMux itself would answer (its 404, 405 and
	// redirects), so that the envelope can answer instead.
	muted   bool
	draft   *journal.Draft // nil when the journal keeps nothing
	answer  *answermemory.Memory
	scratch http.Header
	matched *verbRoutes

	paced *wirefault.Writer // nil unless a fault cuts or slows the answer
}

// Header is the response's header, or a scratch one while muted.
func (w *recorder) Header() http.Header {
	if !w.muted {
		return w.inner.Header()
	}
	if w.scratch == nil {
		w.scratch = make(http.Header)
	}
	return w.scratch
}

// WriteHeader notes the first final status. Informational ones pass through.
func (w *recorder) WriteHeader(status int) {
	if w.muted {
		return
	}
	if status >= 200 || status == http.StatusSwitchingProtocols {
		w.begin(status)
	}
	w.inner.WriteHeader(status)
}

// Write counts what the connection took.
func (w *recorder) Write(b []byte) (int, error) {
	if w.muted {
		return len(b), nil
	}
	w.begin(http.StatusOK)
	if w.paced != nil {
		n, err := w.paced.Write(w.inner, b)
		w.bytes += int64(n)
		return n, err
	}
	if len(b) >= piece || w.streams {
		n, err := w.ReadFrom(bytes.NewReader(b))
		return int(n), err
	}
	n, err := w.inner.Write(b)
	w.bytes += int64(n)
	if w.draft != nil {
		w.draft.AddResponse(b[:n])
	}
	return n, err
}

// piece is how much of an answer has to be taken in one time limit. An answer of
// less than that fits into the buffers on the way.
const piece = 64 << 10

// ReadFrom sends piece by piece: a caller that has stopped reading must not keep
// the handler, and what it is about to send, for ever.
func (w *recorder) ReadFrom(src io.Reader) (sent int64, err error) {
	w.begin(http.StatusOK)
	if w.paced != nil {
		return io.Copy(struct{ io.Writer }{w}, src)
	}
	defer w.setWriteDeadline(0)
	for err == nil {
		var n int64
		w.setWriteDeadline(w.readTimeout)
		n, err = recording.CopyN(w.inner, src, piece, w.draft)
		w.bytes += n
		sent += n
	}
	w.unread = w.unread || arrival.Unread(err)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return sent, err
}

// setWriteDeadline gives the caller so much time for what is sent next; 0 is no limit, for
// the pause until then.
func (w *recorder) setWriteDeadline(d time.Duration) {
	var at time.Time
	if d > 0 {
		at = clock.Real().Now().Add(d)
	}
	// Writers of tests know no deadlines; they need none.
	_ = http.NewResponseController(w.inner).SetWriteDeadline(at)
}

// HoldAnswer has the memory of a whole answer counted until its caller has it. One
// that streams is not whole.
func (w *recorder) HoldAnswer(ctx context.Context, bytes int64) error {
	if w.answer == nil {
		return nil
	}
	return w.answer.HoldAnswer(ctx, bytes)
}

// Unwrap lets http.ResponseController reach the server's writer.
func (w *recorder) Unwrap() http.ResponseWriter { return w.inner }

// Flush sends what is buffered; with it the response has begun.
func (w *recorder) Flush() { _ = w.FlushError() }

// FlushError is Flush for http.ResponseController.
func (w *recorder) FlushError() error {
	w.begin(http.StatusOK)
	w.streams = true
	w.setWriteDeadline(w.readTimeout)
	defer w.setWriteDeadline(0)
	return http.NewResponseController(w.inner).Flush()
}

// Hijack hands the connection over; nothing can be answered after that.
func (w *recorder) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(w.inner).Hijack()
	if err == nil && !w.begun {
		w.begun, w.status = true, http.StatusSwitchingProtocols
	}
	return conn, rw, err
}

// begin notes the status of an answer that has none yet, and keeps it out of shared caches.
func (w *recorder) begin(status int) {
	if w.begun {
		return
	}
	w.begun, w.status = true, status
	sharedcache.KeepPrivate(w.inner.Header(), w.known)
}
