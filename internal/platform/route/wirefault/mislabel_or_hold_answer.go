package wirefault

import (
	"bytes"
	"net/http"
)

// Mislabeled changes the media type of an answer.
type Mislabeled struct{ http.ResponseWriter }

// WriteHeader sends the header with another media type.
func (m *Mislabeled) WriteHeader(status int) {
	if m.Header().Get("Content-Type") != "" {
		m.Header().Set("Content-Type", "text/html; charset=utf-8")
	}
	m.ResponseWriter.WriteHeader(status)
}

// Write sends the header first.
func (m *Mislabeled) Write(b []byte) (int, error) {
	if m.Header().Get("Content-Type") != "" {
		m.Header().Set("Content-Type", "text/html; charset=utf-8")
	}
	return m.ResponseWriter.Write(b)
}

// Unwrap is the true writer, for those who flush.
func (m *Mislabeled) Unwrap() http.ResponseWriter { return m.ResponseWriter }

// maxHeld is how much of an answer is held back. Longer ones, and those that are flushed
// on the way, are sent as they are.
const maxHeld = 1 << 20

// Held is an answer that is kept back until the operation has ended.
type Held struct {
	To     http.ResponseWriter
	Status int
	Body   bytes.Buffer
	// Sent means that it goes out as it is.
	Sent bool
}

// Header is that of the answer.
func (h *Held) Header() http.Header { return h.To.Header() }

// WriteHeader notes the status.
func (h *Held) WriteHeader(status int) {
	if h.Sent {
		h.To.WriteHeader(status)
		return
	}
	if status < http.StatusOK { // on the way to the true one
		h.To.WriteHeader(status)
		return
	}
	if h.Status == 0 {
		h.Status = status
	}
}

// Write keeps the body, unless it is too long.
func (h *Held) Write(b []byte) (int, error) {
	if h.Sent {
		return h.To.Write(b)
	}
	if h.Status == 0 {
		h.Status = http.StatusOK
	}
	if h.Body.Len()+len(b) <= maxHeld {
		return h.Body.Write(b)
	}
	if err := h.Send(); err != nil {
		return 0, err
	}
	return h.To.Write(b)
}

// FlushError sends what there is: the answer is a stream.
func (h *Held) FlushError() error {
	if !h.Sent {
		if err := h.Send(); err != nil {
			return err
		}
	}
	return http.NewResponseController(h.To).Flush()
}

// Send lets the answer go out as it is.
func (h *Held) Send() error {
	h.Sent = true
	if h.Status != 0 {
		h.To.WriteHeader(h.Status)
	}
	_, err := h.To.Write(h.Body.Bytes())
	return err
}
