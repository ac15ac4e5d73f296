package deliver

import (
	"context"
	"strings"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

const (
	// perReceiver is how many calls one host gets at once, a quarter of all workers.
	perReceiver = workers / 4
	// patience is how long others wait for their turn before they go back to the queue. A receiver that answers lets
	// everybody in by then; one that hangs keeps the workers no longer from other receivers.
	patience = 250 * time.Millisecond
	// busyPause is when those look again.
	busyPause = 250 * time.Millisecond
)

// gate keeps a receiver that hangs from holding all workers.
type gate struct {
	mu    sync.Mutex
	hosts map[string]*turnstile
}

type turnstile struct {
	slots chan struct{}
	users int // inside or waiting
	// stuck is set by whoever waited in vain and cleared by whoever got in: meanwhile nobody waits.
	stuck bool
}

func newGate() *gate { return &gate{hosts: map[string]*turnstile{}} }

// enter waits for a turn at the address's host. Not ok: the receiver is stuck, or the context ended.
func (g *gate) enter(ctx context.Context, address string) (leave func(), ok bool) {
	host, _, _ := strings.Cut(strings.TrimPrefix(address, "https://"), "/")
	g.mu.Lock()
	t := g.hosts[host]
	if t == nil {
		t = &turnstile{slots: make(chan struct{}, perReceiver)}
		g.hosts[host] = t
	}
	if t.stuck && t.users >= perReceiver {
		g.mu.Unlock()
		return nil, false
	}
	t.users++
	g.mu.Unlock()

	ok = t.turn(ctx)
	g.mu.Lock()
	t.stuck = !ok && ctx.Err() == nil
	g.mu.Unlock()
	if !ok {
		g.drop(host, t)
		return nil, false
	}
	return func() { <-t.slots; g.drop(host, t) }, true
}

// turn waits for a slot, but not for long.
func (t *turnstile) turn(ctx context.Context) bool {
	select {
	case t.slots <- struct{}{}:
		return true
	default:
	}
	timer := clock.Real().NewTimer(patience)
	defer timer.Stop()
	select {
	case t.slots <- struct{}{}:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}

func (g *gate) drop(host string, t *turnstile) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if t.users--; t.users == 0 {
		delete(g.hosts, host)
	}
}
