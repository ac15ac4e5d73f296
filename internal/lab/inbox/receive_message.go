package inbox

import (
	"io"
	"net/http"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/route/arrival"
	"stoa.dev/stoa/internal/platform/route/clientaddr"
)

// Prefix is the path that a world's inboxes lie below.
const Prefix = "/inbox/"

// bodyTime is how long a message may take, at the rate of all bodies: who sends it needs no
// credential, and holds memory meanwhile.
const bodyTime = 30 * time.Second

// Receive takes a message at a path below Prefix and answers it.
func (s *Set) Receive(w http.ResponseWriter, r *http.Request) {
	name, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, Prefix), "/")
	if s.with(name, func(*box) {}) != nil {
		http.Error(w, noInbox(name), http.StatusNotFound)
		return
	}
	grant, err := s.o.Memory.Take(r.Context(), budget.Address(clientaddr.Network(r)), bodySize(r))
	if err != nil {
		w.Header().Set("Retry-After", "1")
		http.Error(w, "the lab reads as many messages as it can", http.StatusServiceUnavailable)
		return
	}
	body, truncated := readBody(arrival.Paced(w, r, &arrival.Rate{Clock: s.o.Real, End: s.o.Real.Now().Add(bodyTime)}))
	if truncated {
		w.Header().Set("Connection", "close") // the rest is not waited for
	} else {
		// Writers of tests have no deadlines and need none. The server goes on reading, to see the sender leave.
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	}
	grant.Release()
	m := &Message{At: s.o.Now(), Method: r.Method, Header: r.Header.Clone(), Body: body, Truncated: truncated}
	answer, ok := s.take(name, m)
	if !ok {
		http.Error(w, noInbox(name), http.StatusNotFound)
		return
	}
	if answer.Delay > 0 {
		timer := s.o.Real.NewTimer(answer.Delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.Context().Done():
			s.mu.Lock()
			defer s.mu.Unlock()
			m.Answered = 0
			return
		}
	}
	if answer.Cut {
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(answer.Status)
}

func noInbox(name string) string {
	return "there is no inbox " + name + "; POST /lab/v1/worlds/WORLD/inboxes makes one"
}

// bodySize is what reading a body takes at most.
func bodySize(r *http.Request) int64 {
	if r.ContentLength >= 0 {
		return min(r.ContentLength, maxBody)
	}
	return maxBody
}

// readBody keeps the beginning of a body. What cannot be read was not sent.
func readBody(r io.Reader) (body []byte, truncated bool) {
	body, err := io.ReadAll(io.LimitReader(r, maxBody+1))
	if len(body) > maxBody {
		return body[:maxBody], true
	}
	return body, err != nil
}

// take keeps a message and says how it is answered.
func (s *Set) take(name string, m *Message) (Answer, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.boxes[name]
	if b == nil {
		return Answer{}, false
	}
	answer := b.next()
	if !answer.Cut {
		m.Answered = answer.Status
	}
	b.messages = append(b.messages, m)
	s.count(m.size())
	s.evict(b)
	s.signal()
	return answer, true
}

// next is how the next message is answered.
func (b *box) next() Answer {
	answer := b.answer
	if answer.Times > 0 && b.given >= answer.Times {
		answer = Answer{}
	}
	b.given++
	if answer.Status == 0 {
		answer.Status = http.StatusOK
	}
	return answer
}

// full reports whether this world, or all together, keep too much.
func (s *Set) full() bool { return s.bytes > maxBytes || s.o.Pool.bytes.Load() > maxTogether }

// evict lets the oldest messages go: first those of the inbox that received one,
// its newest excepted, then those of the largest others.
func (s *Set) evict(b *box) {
	for len(b.messages) > maxMessages || s.full() && len(b.messages) > 1 {
		s.count(-b.messages[0].size())
		b.messages = b.messages[1:]
	}
	for s.full() {
		var largest *box
		for _, other := range s.boxes {
			if other != b && (largest == nil || len(other.messages) > len(largest.messages)) {
				largest = other
			}
		}
		if largest == nil || len(largest.messages) == 0 {
			return
		}
		s.count(-largest.messages[0].size())
		largest.messages = largest.messages[1:]
	}
}
