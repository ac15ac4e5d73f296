package faultrule

import (
	"bytes"
	"compress/gzip"
	"maps"
	"net/http"
	"sync"

	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/wirefault"
)

// staleRead repeats an earlier answer; the rule that names it keeps what it repeats.
const staleRead = "stale_read"

// maxStale is how many answers a rule keeps.
const maxStale = 256

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
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil {
		s.kept = map[string]staleAnswer{}
	}
	if len(s.kept) < maxStale {
		s.kept[key] = a
	}
}
