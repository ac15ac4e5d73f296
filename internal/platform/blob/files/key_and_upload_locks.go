package files

import (
	"context"
	"sync"
)

// locks keeps apart what touches one key or one upload at a time. The zero value is ready.
type locks struct {
	stripes [64]sync.Mutex

	mu   sync.Mutex
	held map[string]*slot
}

type slot struct {
	free chan struct{}
	refs int
}

// stripe locks the short moment in which a name changes. Keys may share a stripe, so nothing slow happens inside.
func (l *locks) stripe(key string) (unlock func()) {
	h := uint32(2166136261) // FNV-1a: spreads well, and nothing depends on the spread being secret.
	for i := range len(key) {
		h = (h ^ uint32(key[i])) * 16777619
	}
	m := &l.stripes[h%uint32(len(l.stripes))]
	m.Lock()
	return m.Unlock
}

// hold locks one upload for as long as its bytes arrive; others wait for theirs only, until their context ends.
func (l *locks) hold(ctx context.Context, id string) (release func(), err error) {
	s := l.slot(id)
	select {
	case s.free <- struct{}{}:
		return func() { <-s.free; l.drop(id, s) }, nil
	case <-ctx.Done():
		l.drop(id, s)
		return nil, ctx.Err()
	}
}

func (l *locks) drop(id string, s *slot) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.refs--; s.refs == 0 {
		delete(l.held, id)
	}
}

// try is hold for those who do not wait.
func (l *locks) try(id string) (release func(), free bool) {
	s := l.slot(id)
	select {
	case s.free <- struct{}{}:
		return func() { <-s.free; l.drop(id, s) }, true
	default:
		l.drop(id, s)
		return nil, false
	}
}

// slot counts one more user of an upload's lock; drop counts it off, and the last one takes the lock away.
func (l *locks) slot(id string) *slot {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held == nil {
		l.held = map[string]*slot{}
	}
	s, ok := l.held[id]
	if !ok {
		s = &slot{free: make(chan struct{}, 1)}
		l.held[id] = s
	}
	s.refs++
	return s
}
