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
	// busyPause is when those look again, if they are few. The more there are, the later: all together look no more often
	// than perReceiver times in busyPause, so that one receiver with many messages does not keep the queue busy.
	busyPause = 250 * time.Millisecond
	// longestPause is how late one of very many may notice that its receiver is back.
	longestPause = time.Minute
)

// gate keeps a receiver that hangs from holding all workers.
type gate struct {
	mu    sync.Mutex
	hosts map[string]*turnstile
}

type turnstile struct {
	slots chan struct{}
	users int // inside or waiting
	away  int // sent away and not back yet
	// stuck is set by whoever waited in vain and cleared by whoever got in: meanwhile nobody waits.
	stuck bool
}

func newGate() *gate { return &gate{hosts: map[string]*turnstile{}} }

// enter waits for a turn at the address's host. Without leave the receiver is stuck, or the context ended: pause is when
// to come back, which the caller then says.
func (g *gate) enter(ctx context.Context, address string, back bool) (leave func(), pause time.Duration) {
	host, _, _ := strings.Cut(strings.TrimPrefix(address, "https://"), "/")
	g.mu.Lock()
	t := g.hosts[host]
	if t == nil {
		t = &turnstile{slots: make(chan struct{}, perReceiver)}
		g.hosts[host] = t
	}
	if back {
		t.away = max(t.away-1, 0)
	}
	if t.stuck && t.users >= perReceiver {
		defer g.mu.Unlock()
		return nil, t.sendAway()
	}
	t.users++
	g.mu.Unlock()

	ok := t.turn(ctx)
	g.mu.Lock()
	defer g.mu.Unlock()
	t.stuck = !ok && ctx.Err() == nil
	if !ok {
		defer g.drop(host, t)
		return nil, t.sendAway()
	}
	return func() {
		<-t.slots
		g.mu.Lock()
		defer g.mu.Unlock()
		g.drop(host, t)
	}, 0
}

// sendAway is how long one more of those who could not enter stays away.
func (t *turnstile) sendAway() time.Duration {
	t.away++
	return min(busyPause*time.Duration(1+t.away/perReceiver), longestPause)
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

// drop counts a user off. The caller holds the lock.
func (g *gate) drop(host string, t *turnstile) {
	if t.users--; t.users == 0 {
		delete(g.hosts, host)
	}
}
