package inbox

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/clock"
)

// What a world's inboxes hold at most.
const (
	MaxInboxes  = 100
	maxMessages = 1000    // of one inbox
	maxBody     = 1 << 20 // of one message
	maxBytes    = 32 << 20
	// maxTogether is what the inboxes of all worlds of a process hold, but for the
	// newest message of each.
	maxTogether = 256 << 20
)

// Pool bounds what the inboxes of many worlds keep together.
type Pool struct{ bytes atomic.Int64 }

// Reasons why something is not done.
var (
	ErrNotFound = errors.New("there is no inbox of this name")
	ErrTaken    = errors.New("there is an inbox of this name already")
	ErrFull     = errors.New("the world has as many inboxes as it may have")
)

// Answer is how an inbox answers. The zero Answer accepts with 200.
type Answer struct {
	Status int
	// Delay is how long an answer takes, on the machine's clock.
	Delay time.Duration
	// Cut closes the connection in place of an answer.
	Cut bool
	// Times is how many messages are answered so before the next are accepted; zero
	// means all.
	Times int
}

// Message is one request that reached an inbox.
type Message struct {
	At     time.Time // on the world's clock
	Method string
	Header http.Header
	Body   []byte
	// Truncated reports that the body was longer than what is kept.
	Truncated bool
	// Answered is the status of the answer; zero where the connection was cut, or
	// where the sender left before.
	Answered int
}

func (m Message) size() int64 {
	n := len(m.Method) + len(m.Body)
	for name, values := range m.Header {
		n += len(name) + len(strings.Join(values, ""))
	}
	return int64(n)
}

// Box is an inbox: its name and how it answers.
type Box struct {
	Name   string
	Answer Answer
}

type box struct {
	answer   Answer
	given    int // messages that were answered so
	messages []*Message
}

// Set is the inboxes of a world.
type Set struct {
	o Options

	mu      sync.Mutex
	boxes   map[string]*box
	bytes   int64
	changed chan struct{} // closed when a message came
}

// Options are what a Set is built from.
type Options struct {
	// Now is the world's time, Real the machine's clock.
	Now  func() time.Time
	Real clock.Clock
	Pool *Pool
	// Memory is what bodies take while they are read.
	Memory *budget.Pool
}

// New makes an empty set.
func New(o Options) *Set {
	return &Set{o: o, boxes: map[string]*box{}, changed: make(chan struct{})}
}

// Add makes an inbox.
func (s *Set) Add(name string, a Answer) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.boxes[name] != nil:
		return ErrTaken
	case len(s.boxes) >= MaxInboxes:
		return ErrFull
	}
	s.boxes[name] = &box{answer: a}
	return nil
}

// List is all inboxes, by name.
func (s *Set) List() []Box {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]Box, 0, len(s.boxes))
	for name, b := range s.boxes {
		all = append(all, Box{Name: name, Answer: b.answer})
	}
	slices.SortFunc(all, func(a, b Box) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// SetAnswer changes how an inbox answers from its next message on.
func (s *Set) SetAnswer(name string, a Answer) error {
	return s.with(name, func(b *box) { b.answer, b.given = a, 0 })
}

// Empty forgets the messages of an inbox.
func (s *Set) Empty(name string) error { return s.with(name, s.drop) }

// Delete ends an inbox.
func (s *Set) Delete(name string) error {
	return s.with(name, func(b *box) {
		s.drop(b)
		delete(s.boxes, name)
		s.signal() // who waits is told that it is gone
	})
}

// Clear ends all inboxes.
func (s *Set) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.boxes {
		s.drop(b)
	}
	s.boxes = map[string]*box{}
	s.signal()
}

// drop forgets the messages of a box; the caller holds mu.
func (s *Set) drop(b *box) {
	for _, m := range b.messages {
		s.count(-m.size())
	}
	b.messages = nil
}

// count notes bytes that are kept, or no longer; the caller holds mu.
func (s *Set) count(n int64) {
	s.bytes += n
	s.o.Pool.bytes.Add(n)
}

func (s *Set) with(name string, do func(*box)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.boxes[name]
	if b == nil {
		return ErrNotFound
	}
	do(b)
	return nil
}

// signal wakes who waits; the caller holds mu.
func (s *Set) signal() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// Messages are those of an inbox, oldest first. It waits until there are atLeast,
// for at most within of the machine's time.
func (s *Set) Messages(ctx context.Context, name string, atLeast int, within time.Duration) ([]Message, error) {
	timer := s.o.Real.NewTimer(within)
	defer timer.Stop()
	for {
		s.mu.Lock()
		b, changed := s.boxes[name], s.changed
		if b == nil {
			s.mu.Unlock()
			return nil, ErrNotFound
		}
		messages := make([]Message, len(b.messages))
		for i, m := range b.messages {
			messages[i] = *m
		}
		s.mu.Unlock()
		if len(messages) >= atLeast {
			return messages, nil
		}
		select {
		case <-changed:
		case <-timer.C:
			return messages, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
