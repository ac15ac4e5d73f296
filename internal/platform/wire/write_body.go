package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// gzipFrom is the size in bytes above which a body is worth compressing: what
// fits into one network packet gains nothing.
const gzipFrom = 1400

// keptBuffer is the largest buffer that goes back into a pool, so that one huge
// answer does not hold memory for ever.
const keptBuffer = 256 << 10

// jsonType is sent unless the handler has set another Content-Type.
const jsonType = "application/json; charset=utf-8"

// encoder is a buffer with a JSON encoder bound to it, reused together.
type encoder struct {
	buf  bytes.Buffer
	json *json.Encoder
}

// encoders holds idle encoders. It is a cache of memory, not of state.
var encoders = sync.Pool{New: func() any {
	e := new(encoder)
	e.json = json.NewEncoder(&e.buf)
	e.json.SetEscapeHTML(false)
	return e
}}

func (e *encoder) release() {
	if e.buf.Cap() <= keptBuffer {
		e.buf.Reset()
		encoders.Put(e)
	}
}

// encode writes v without the newline that json.Encoder adds.
func (e *encoder) encode(v any) ([]byte, error) {
	if err := e.json.Encode(v); err != nil {
		return nil, err
	}
	b := e.buf.Bytes()
	return b[:len(b)-1], nil
}

// WriteJSON answers with v as JSON. If v cannot be encoded the error comes
// before anything is written, so the caller can still answer otherwise; an
// error of the connection is returned too. A Content-Type that is already set
// stays.
func WriteJSON(w http.ResponseWriter, r *http.Request, status int, v any) error {
	e := encoders.Get().(*encoder)
	defer e.release()
	b, err := e.encode(v)
	if err != nil {
		return err
	}
	return WriteBytes(w, r, status, "", b)
}

// EncodeJSON is the bytes that WriteJSON would send, for answers that are kept
// or hashed.
func EncodeJSON(v any) ([]byte, error) {
	e := encoders.Get().(*encoder)
	defer e.release()
	b, err := e.encode(v)
	if err != nil {
		return nil, err
	}
	return bytes.Clone(b), nil
}

// WriteBytes answers with b, which is already encoded. An empty contentType
// keeps the one that is set, or else means JSON.
func WriteBytes(w http.ResponseWriter, r *http.Request, status int, contentType string, b []byte) error {
	if !bodyAllowed(status) {
		w.WriteHeader(status)
		return nil
	}
	if err := hold(w, r, b); err != nil {
		return err
	}
	h := w.Header()
	if contentType != "" {
		h.Set("Content-Type", contentType)
	} else if len(h["Content-Type"]) == 0 {
		h["Content-Type"] = []string{jsonType}
	}
	if len(b) > gzipFrom && len(h["Content-Encoding"]) == 0 && compressible(h.Get("Content-Type")) {
		addVary(h, "Accept-Encoding")
		if r != nil && acceptsGzip(r.Header) {
			return writeGzip(w, r, status, b)
		}
	}
	return writeWhole(w, r, status, b)
}

// heldFrom is the size in bytes from which an answer is counted while its caller
// reads it.
const heldFrom = 128 << 10

// answerHolder is a writer that counts the memory of whole answers.
type answerHolder interface {
	HoldAnswer(ctx context.Context, bytes int64) error
}

// hold has the memory of a large answer counted. One that tells what was done is sent
// in any case.
func hold(w http.ResponseWriter, r *http.Request, b []byte) error {
	if len(b) < heldFrom || r == nil || r.Method == http.MethodHead {
		return nil
	}
	for {
		if h, ok := w.(answerHolder); ok {
			if err := h.HoldAnswer(r.Context(), int64(len(b))); r.Method == http.MethodGet {
				return err
			}
			return nil
		}
		inner, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return nil
		}
		w = inner.Unwrap()
	}
}

// writeWhole sends the body with its length; HEAD gets the length only.
func writeWhole(w http.ResponseWriter, r *http.Request, status int, b []byte) error {
	w.Header()["Content-Length"] = []string{strconv.Itoa(len(b))}
	w.WriteHeader(status)
	if r != nil && r.Method == http.MethodHead {
		return nil
	}
	_, err := w.Write(b)
	return err
}

// NoContent answers with a status and no body.
func NoContent(w http.ResponseWriter, status int) {
	if bodyAllowed(status) {
		w.Header()["Content-Length"] = []string{"0"}
	}
	w.WriteHeader(status)
}

// bodyAllowed is false for the statuses that HTTP gives no body (RFC 9110,
// section 6.4.1).
func bodyAllowed(status int) bool {
	return status >= 200 && status != http.StatusNoContent && status != http.StatusNotModified
}

// WholeSeconds is a wait as headers say it, rounded up so that who waits so long does
// not come too early.
func WholeSeconds(d time.Duration) string {
	return strconv.Itoa(int(math.Ceil(max(0, d.Seconds()))))
}
