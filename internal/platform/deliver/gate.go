package deliver

import (
	"context"
	"net/url"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

const (
	// perOwner is how many calls one owner's messages make at once, an eighth of all workers.
	perOwner = workers / 8
	// perOwnerReceiver is how many of them go to one host, so that a receiver that hangs leaves the owner's others room.
	perOwnerReceiver = perOwner / 2
	// perReceiver is how many calls one host gets at once from all owners.
	perReceiver = workers / 4
	// mostPerReceiver is how many it gets when every further one is its owner's only call to it: what others let hang
	// does not keep an owner from a host.
	mostPerReceiver = 2 * perReceiver
	// patience is how long others wait for their turn before they go back to the queue. A receiver that answers lets
	// everybody in by then; one that hangs keeps the workers no longer from other receivers.
	patience = 250 * time.Millisecond
	// busyPause is when those look again, if they are few. The more an owner has, the later: all of them together look no
	// more often than perOwnerReceiver times in busyPause, so that many messages do not keep the queue busy.
	busyPause = 250 * time.Millisecond
	// longestPause is how late one of very many may notice that its receiver is back.
	longestPause = time.Minute
)

// gate keeps a receiver that hangs, and an owner with many messages, from holding all workers.
type gate struct {
	mu    sync.Mutex
	hosts map[string]*turnstile
}

// turnstile is one host.
type turnstile struct {
	inside int
	owners map[string]*visitor
	freed  chan struct{} // closed and replaced whenever somebody leaves
}

// visitor is one owner at a host.
type visitor struct {
	inside int
	users  int // inside or waiting
	away   int // sent away and not back yet
	// stuck is set by whoever waited in vain and cleared by whoever got in: meanwhile nobody waits.
	stuck bool
}

func newGate() *gate { return &gate{hosts: map[string]*turnstile{}} }

// hostOf is the host and port of an address that was checked.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Host
}

// enter waits for the owner's turn at the address's host. Without leave the receiver is stuck, or the context ended:
// pause is when to come back, which the caller then says.
func (g *gate) enter(ctx context.Context, owner, address string, back bool) (leave func(), pause time.Duration) {
	host := hostOf(address)
	g.mu.Lock()
	defer g.mu.Unlock()
	t := g.hosts[host]
	if t == nil {
		t = &turnstile{owners: map[string]*visitor{}, freed: make(chan struct{})}
		g.hosts[host] = t
	}
	v := t.owners[owner]
	if v == nil {
		v = &visitor{}
		t.owners[owner] = v
	}
	if back {
		v.away = max(v.away-1, 0)
	}
	v.users++
	ok := t.admits(v)
	if !ok && !v.stuck {
		ok = g.turn(ctx, t, v)
		v.stuck = !ok && ctx.Err() == nil
	}
	if !ok {
		defer g.drop(host, owner, t, v)
		return nil, v.sendAway()
	}
	v.stuck = false
	v.inside++
	t.inside++
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		v.inside--
		t.inside--
		close(t.freed)
		t.freed = make(chan struct{})
		g.drop(host, owner, t, v)
	}, 0
}

// admits reports whether one more call of the owner may begin.
func (t *turnstile) admits(v *visitor) bool {
	return v.inside < perOwnerReceiver && (t.inside < perReceiver || (v.inside == 0 && t.inside < mostPerReceiver))
}

// turn waits for a place, but not for long. The caller holds the lock, which is given up meanwhile.
func (g *gate) turn(ctx context.Context, t *turnstile, v *visitor) bool {
	timer := clock.Real().NewTimer(patience)
	defer timer.Stop()
	for !t.admits(v) {
		freed, over := t.freed, false
		g.mu.Unlock()
		select {
		case <-freed:
		case <-timer.C:
			over = true
		case <-ctx.Done():
			over = true
		}
		g.mu.Lock()
		if over {
			return false
		}
	}
	return true
}

// sendAway is how long one more of those who could not enter stays away.
func (v *visitor) sendAway() time.Duration {
	v.away++
	return min(busyPause*time.Duration(1+v.away/perOwnerReceiver), longestPause)
}

// drop counts a user off. The caller holds the lock.
func (g *gate) drop(host, owner string, t *turnstile, v *visitor) {
	if v.users--; v.users == 0 {
		delete(t.owners, owner)
	}
	if len(t.owners) == 0 {
		delete(g.hosts, host)
	}
}
