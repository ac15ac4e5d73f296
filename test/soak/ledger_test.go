package soak_test

import (
	"sync"
	"sync/atomic"
	"testing"
)

// ledger knows which poller has seen which event.
type ledger struct {
	mu      sync.Mutex
	pollers int
	events  map[string]*entry
	wanted  int
}

type entry struct {
	by  map[int]bool
	all chan struct{}
}

func newLedger(pollers int) *ledger { return &ledger{pollers: pollers, events: map[string]*entry{}} }

func (l *ledger) entry(id string) *entry {
	e := l.events[id]
	if e == nil {
		e = &entry{by: map[int]bool{}, all: make(chan struct{})}
		l.events[id] = e
	}
	return e
}

// byAll is closed when every poller has seen the event.
func (l *ledger) byAll(id string) <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wanted++
	return l.entry(id).all
}

func (l *ledger) add(poller int, ids []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range ids {
		e := l.entry(id)
		if e.by[poller] {
			continue
		}
		e.by[poller] = true
		if len(e.by) == l.pollers {
			close(e.all)
		}
	}
}

func (l *ledger) missing(id string) (pollers []int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.pollers {
		if !l.entry(id).by[i] {
			pollers = append(pollers, i)
		}
	}
	return pollers
}

func (l *ledger) written() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.wanted
}

// served counts what anonymous clients got. All of it lies in one window, which begins
// with the first request and is an hour long.
type served struct{ ok, refused atomic.Int64 }

// check: a client that was refused, was refused after exactly the limit.
func (s *served) check(t *testing.T) {
	t.Helper()
	if ok, refused := s.ok.Load(), s.refused.Load(); ok > anonymousLimit || refused > 0 && ok != anonymousLimit {
		t.Errorf("%d requests were served and %d refused; the limit is %d", ok, refused, anonymousLimit)
	}
}
