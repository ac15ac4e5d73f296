package forge

import (
	"context"
	"sync"
)

// turns lets one push at a time change a repository in this process, so that
// every changed ref is told of the one who changed it.
type turns struct {
	mu   sync.Mutex
	held map[int64]*turn
}

// turn is a lock that can be waited for with a context.
type turn struct {
	slot    chan struct{}
	waiting int
}

func newTurns() *turns { return &turns{held: map[int64]*turn{}} }

// take waits for the repository's turn.
func (t *turns) take(ctx context.Context, id int64) (release func(), err error) {
	t.mu.Lock()
	own := t.held[id]
	if own == nil {
		own = &turn{slot: make(chan struct{}, 1)}
		t.held[id] = own
	}
	own.waiting++
	t.mu.Unlock()
	select {
	case own.slot <- struct{}{}:
		return func() { <-own.slot; t.leave(id, own) }, nil
	case <-ctx.Done():
		t.leave(id, own)
		return nil, ctx.Err()
	}
}

// leave forgets a turn that nobody waits for.
func (t *turns) leave(id int64, own *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	own.waiting--
	if own.waiting == 0 {
		delete(t.held, id)
	}
}
