package faultrule

import (
	"bytes"
	"compress/gzip"
	"maps"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/wirefault"
)

// staleRead repeats an earlier answer; the rule that names it keeps what it repeats.
const staleRead = "stale_read"

// maxStale is how many bytes of answers the rules of a world keep. What comes when it is
// used up is answered in earnest.
const maxStale = 32 << 20

// answerFaults run the operation and change its answer on the way: what a proxy or a
// replica between client and service does.
func answerFaults(reading []string) []module.Fault {
	list := []module.Fault{
		{
			Name:        "wrong_content_type",
			Description: "The operation runs, and its answer says that it is a page of HTML.",
			Handle: func(w http.ResponseWriter, r *route.Request) error {
				return r.Route.Handle(&wirefault.Mislabeled{ResponseWriter: w}, r)
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

// truncateGzip sends the first half of the compressed answer, as if it were all.
func truncateGzip(w http.ResponseWriter, r *route.Request) error {
	h := &wirefault.Held{To: w}
	if err := r.Route.Handle(h, r); err != nil || h.Sent {
		return err
	}
	if h.Status == 0 || h.Body.Len() == 0 {
		return h.Send() // there is nothing to cut
	}
	packed := h.Body.Bytes()
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
	w.WriteHeader(h.Status)
	_, err := w.Write(packed[:len(packed)/2])
	return err
}

// staleAnswers are what a rule repeats, by caller and address.
type staleAnswers struct {
	used *atomic.Int64 // by all rules of the world

	mu     sync.Mutex
	kept   map[string]staleAnswer
	bytes  int64
	closed bool
}

type staleAnswer struct {
	status int
	header http.Header
	body   []byte
	size   int64
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
	h := &wirefault.Held{To: w}
	if err := r.Route.Handle(h, r); err != nil || h.Sent {
		return err
	}
	if h.Status != 0 {
		s.keep(key, staleAnswer{status: h.Status, header: w.Header().Clone(), body: bytes.Clone(h.Body.Bytes())})
	}
	return h.Send()
}

func (s *staleAnswers) keep(key string, a staleAnswer) {
	size := int64(len(key) + len(a.body))
	for name, values := range a.header {
		size += int64(len(name) + len(strings.Join(values, "")))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	if s.used.Add(size) > maxStale {
		s.used.Add(-size)
		return
	}
	if s.kept == nil {
		s.kept = map[string]staleAnswer{}
	}
	s.bytes += size - s.kept[key].size
	s.used.Add(-s.kept[key].size) // two may have asked at once
	a.size = size
	s.kept[key] = a
}

// close forgets the answers of a rule that is taken out.
func (s *staleAnswers) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used.Add(-s.bytes)
	s.kept, s.bytes, s.closed = nil, 0, true
}
