package route

import (
	"bufio"
	"io"
	"net"
	"net/http"
)

// recorder is the ResponseWriter that handlers get. It notes status, size and
// whether the response has begun. Unwrap keeps every feature of the server's
// writer within reach of http.ResponseController.
type recorder struct {
	inner  http.ResponseWriter
	status int
	bytes  int64
	begun  bool

	// muted swallows what http.ServeMux itself would answer (its 404, 405 and
	// redirects), so that the envelope can answer instead.
	muted   bool
	scratch http.Header
	matched *entry
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
	final := status >= 200 || status == http.StatusSwitchingProtocols
	if final && !w.begun {
		w.begun, w.status = true, status
	}
	w.inner.WriteHeader(status)
}

// Write counts what the connection took.
func (w *recorder) Write(b []byte) (int, error) {
	if w.muted {
		return len(b), nil
	}
	w.begin()
	n, err := w.inner.Write(b)
	w.bytes += int64(n)
	return n, err
}

// ReadFrom keeps the server's way of sending files without copying.
func (w *recorder) ReadFrom(src io.Reader) (int64, error) {
	w.begin()
	n, err := io.Copy(w.inner, src)
	w.bytes += n
	return n, err
}

// Unwrap lets http.ResponseController reach the server's writer.
func (w *recorder) Unwrap() http.ResponseWriter { return w.inner }

// Flush sends what is buffered; with it the response has begun.
func (w *recorder) Flush() { _ = w.FlushError() }

// FlushError is Flush for http.ResponseController.
func (w *recorder) FlushError() error {
	w.begin()
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

func (w *recorder) begin() {
	if !w.begun {
		w.begun, w.status = true, http.StatusOK
	}
}
