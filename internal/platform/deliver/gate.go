package deliver

import (
	"context"
	"strings"
	"sync"
	"time"
)

const (
	// perReceiver is how many calls one host gets at once, a quarter of all workers.
	perReceiver = workers / 4
	// waiting is how many more may wait for their turn before others go back to the queue.
	waiting = workers / 8
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
}

func newGate() *gate { return &gate{hosts: map[string]*turnstile{}} }

// enter waits for a turn at the address's host. Not ok: too many wait already, or the context ended.
func (g *gate) enter(ctx context.Context, address string) (leave func(), ok bool) {
	host, _, _ := strings.Cut(strings.TrimPrefix(address, "https://"), "/")
	g.mu.Lock()
	t := g.hosts[host]
	if t == nil {
		t = &turnstile{slots: make(chan struct{}, perReceiver)}
		g.hosts[host] = t
	}
	if t.users >= perReceiver+waiting {
		g.mu.Unlock()
		return nil, false
	}
	t.users++
	g.mu.Unlock()

	select {
	case t.slots <- struct{}{}:
		return func() { <-t.slots; g.drop(host, t) }, true
	case <-ctx.Done():
		g.drop(host, t)
		return nil, false
	}
}

func (g *gate) drop(host string, t *turnstile) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if t.users--; t.users == 0 {
		delete(g.hosts, host)
	}
}
