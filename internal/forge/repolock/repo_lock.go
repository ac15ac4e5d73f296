package repolock

import (
	"context"
	"sync"
)

// Locks let one push at a time change a repository in this process, so that
// every changed ref is recorded for the actor who changed it.
type Locks struct {
	mu   sync.Mutex
	held map[int64]*lock
}

// lock is a lock that can be waited for with a context.
type lock struct {
	slot chan struct{}
	// users hold it or wait for it.
	users int
}

// New makes locks that are not held.
func New() *Locks { return &Locks{held: map[int64]*lock{}} }

// Lock waits until no other holds the lock of a repository.
func (l *Locks) Lock(ctx context.Context, id int64) (unlock func(), err error) {
	l.mu.Lock()
	own := l.held[id]
	if own == nil {
		own = &lock{slot: make(chan struct{}, 1)}
		l.held[id] = own
	}
	own.users++
	l.mu.Unlock()
	select {
	case own.slot <- struct{}{}:
		return func() { <-own.slot; l.release(id, own) }, nil
	case <-ctx.Done():
		l.release(id, own)
		return nil, ctx.Err()
	}
}

// release forgets a lock without users.
func (l *Locks) release(id int64, own *lock) {
	l.mu.Lock()
	defer l.mu.Unlock()
	own.users--
	if own.users == 0 {
		delete(l.held, id)
	}
}
