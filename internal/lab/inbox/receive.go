package inbox

import (
	"io"
	"net/http"
	"strings"
)

// Prefix is the path that a world's inboxes lie below.
const Prefix = "/inbox/"

// Receive takes a message at a path below Prefix and answers it.
func (s *Set) Receive(w http.ResponseWriter, r *http.Request) {
	name, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, Prefix), "/")
	body, truncated := readBody(r)
	answer, ok := s.take(name, Message{
		At: s.now(), Method: r.Method, Header: r.Header.Clone(), Body: body, Truncated: truncated,
	})
	if !ok {
		http.Error(w, "there is no inbox "+name+"; POST /lab/v1/worlds/WORLD/inboxes makes one", http.StatusNotFound)
		return
	}
	if answer.Delay > 0 {
		timer := s.real.NewTimer(answer.Delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.Context().Done():
			return
		}
	}
	if answer.Cut {
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(answer.Status)
}

// readBody keeps the beginning of a body. What cannot be read was not sent.
func readBody(r *http.Request) (body []byte, truncated bool) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if len(body) > maxBody {
		return body[:maxBody], true
	}
	return body, err != nil
}

// take keeps a message and says how it is answered.
func (s *Set) take(name string, m Message) (Answer, bool) {
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
	s.bytes += m.size()
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

// evict lets the oldest messages go: first those of the inbox that received one,
// its newest excepted, then those of the largest others.
func (s *Set) evict(b *box) {
	for len(b.messages) > maxMessages || s.bytes > maxBytes && len(b.messages) > 1 {
		s.bytes -= b.messages[0].size()
		b.messages = b.messages[1:]
	}
	for s.bytes > maxBytes {
		var largest *box
		for _, other := range s.boxes {
			if other != b && (largest == nil || len(other.messages) > len(largest.messages)) {
				largest = other
			}
		}
		if largest == nil || len(largest.messages) == 0 {
			return
		}
		s.bytes -= largest.messages[0].size()
		largest.messages = largest.messages[1:]
	}
}
