package faultrule

import (
	"bytes"
	"compress/gzip"
	"maps"
	"net/http"
	"sync"

	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
)

// staleRead repeats an earlier answer; the rule that names it keeps what it repeats.
const staleRead = "stale_read"

// maxHeld is how much of an answer is held back, and maxStale how many answers a rule
// keeps. Longer ones, and those that are flushed on the way, are sent as they are.
const (
	maxHeld  = 1 << 20
	maxStale = 256
)

// answerFaults run the operation and change its answer on the way: what a proxy or a
// replica between client and service does.
func answerFaults(reading []string) []module.Fault {
	list := []module.Fault{
		{
			Name:        "wrong_content_type",
			Description: "The operation runs, and its answer says that it is a page of HTML.",
			Handle: func(w http.ResponseWriter, r *route.Request) error {
				return r.Route.Handle(&mislabeled{ResponseWriter: w}, r)
			},
		},
		{
			Name:        "truncated_gzip",
			Description: "The operation runs, and its answer is compressed and ends in the middle.",
			Handle:      truncateGzip,
		},
	}
	if len(reading) > 0 {
		list = append(list, module.Fault{
			Name: staleRead, Operations: reading, Handle: runOperation,
			Description: "The operation answers as it did when the rule was met for the first time.",
		})
	}
	return list
}

func runOperation(w http.ResponseWriter, r *route.Request) error { return r.Route.Handle(w, r) }

// mislabeled changes the media type of an answer.
type mislabeled struct{ http.ResponseWriter }

// WriteHeader sends the header with another media type.
func (m *mislabeled) WriteHeader(status int) {
	if m.Header().Get("Content-Type") != "" {
		m.Header().Set("Content-Type", "text/html; charset=utf-8")
	}
	m.ResponseWriter.WriteHeader(status)
}

// Write sends the header first.
func (m *mislabeled) Write(b []byte) (int, error) {
	if m.Header().Get("Content-Type") != "" {
		m.Header().Set("Content-Type", "text/html; charset=utf-8")
	}
	return m.ResponseWriter.Write(b)
}

// Unwrap is the true writer, for those who flush.
func (m *mislabeled) Unwrap() http.ResponseWriter { return m.ResponseWriter }

// held is an answer that is kept back until the operation has ended.
type held struct {
	to     http.ResponseWriter
	status int
	body   bytes.Buffer
	// sent means that it goes out as it is.
	sent bool
}

// Header is that of the answer.
func (h *held) Header() http.Header { return h.to.Header() }

// WriteHeader notes the status.
func (h *held) WriteHeader(status int) {
	if h.sent {
		h.to.WriteHeader(status)
		return
	}
	if status < http.StatusOK { // on the way to the true one
		h.to.WriteHeader(status)
		return
	}
	if h.status == 0 {
		h.status = status
	}
}

// Write keeps the body, unless it is too long.
func (h *held) Write(b []byte) (int, error) {
	if h.sent {
		return h.to.Write(b)
	}
	if h.status == 0 {
		h.status = http.StatusOK
	}
	if h.body.Len()+len(b) <= maxHeld {
		return h.body.Write(b)
	}
	if err := h.send(); err != nil {
		return 0, err
	}
	return h.to.Write(b)
}

// FlushError sends what there is: the answer is a stream.
func (h *held) FlushError() error {
	if !h.sent {
		if err := h.send(); err != nil {
			return err
		}
	}
	return http.NewResponseController(h.to).Flush()
}

// send lets the answer go out as it is.
func (h *held) send() error {
	h.sent = true
	if h.status != 0 {
		h.to.WriteHeader(h.status)
	}
	_, err := h.to.Write(h.body.Bytes())
	return err
}

// truncateGzip sends the first half of the compressed answer, as if it were all.
func truncateGzip(w http.ResponseWriter, r *route.Request) error {
	h := &held{to: w}
	if err := r.Route.Handle(h, r); err != nil || h.sent {
		return err
	}
	if h.status == 0 || h.body.Len() == 0 {
		return h.send() // there is nothing to cut
	}
	packed := h.body.Bytes()
	if w.Header().Get("Content-Encoding") == "" {
		var buffer bytes.Buffer
		z := gzip.NewWriter(&buffer)
		if _, err := z.Write(packed); err != nil {
			return err
		}
		if err := z.Close(); err != nil {
			return err
		}
		packed = buffer.Bytes()
		w.Header().Set("Content-Encoding", "gzip")
	}
	w.Header().Del("Content-Length")
	w.WriteHeader(h.status)
	_, err := w.Write(packed[:len(packed)/2])
	return err
}

// staleAnswers are what a rule repeats, by caller and address.
type staleAnswers struct {
	mu   sync.Mutex
	kept map[string]staleAnswer
}

type staleAnswer struct {
	status int
	header http.Header
	body   []byte
}

// handle answers as it did before; the first time, in earnest.
func (s *staleAnswers) handle(w http.ResponseWriter, r *route.Request) error {
	key := r.Method + " " + r.URL.RequestURI() + "\n" + r.Header.Get("Range") + "\n" + r.Header.Get("If-None-Match")
	if r.Caller != nil {
		key += "\n" + r.Caller.String()
	}
	s.mu.Lock()
	old, known := s.kept[key]
	s.mu.Unlock()
	if known {
		maps.Copy(w.Header(), old.header)
		w.WriteHeader(old.status)
		_, err := w.Write(old.body)
		return err
	}
	h := &held{to: w}
	if err := r.Route.Handle(h, r); err != nil || h.sent {
		return err
	}
	if h.status != 0 {
		s.keep(key, staleAnswer{status: h.status, header: w.Header().Clone(), body: bytes.Clone(h.body.Bytes())})
	}
	return h.send()
}

func (s *staleAnswers) keep(key string, a staleAnswer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil {
		s.kept = map[string]staleAnswer{}
	}
	if len(s.kept) < maxStale {
		s.kept[key] = a
	}
}
