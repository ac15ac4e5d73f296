package forge

import (
	"context"
	"sync"
)

// repoLocks let one push at a time change a repository in this process, so that
// every changed ref is recorded for the actor who changed it.
type repoLocks struct {
	mu   sync.Mutex
	held map[int64]*repoLock
}

// repoLock is a lock that can be waited for with a context.
type repoLock struct {
	slot chan struct{}
	// users hold it or wait for it.
	users int
}

func newRepoLocks() *repoLocks { return &repoLocks{held: map[int64]*repoLock{}} }

// lock waits until no other holds the lock of a repository.
func (l *repoLocks) lock(ctx context.Context, id int64) (unlock func(), err error) {
	l.mu.Lock()
	own := l.held[id]
	if own == nil {
		own = &repoLock{slot: make(chan struct{}, 1)}
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
func (l *repoLocks) release(id int64, own *repoLock) {
	l.mu.Lock()
	defer l.mu.Unlock()
	own.users--
	if own.users == 0 {
		delete(l.held, id)
	}
}
