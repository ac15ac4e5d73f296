package hostlimit

import (
	"context"
	"maps"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

// Limits are numbers of calls at a time.
type Limits struct {
	// PerOwner is how many calls of one owner go to one host, so that a host that hangs leaves the owner's other calls
	// some workers.
	PerOwner int
	// PerHost is how many calls one host gets from all owners. It gets twice as many when every further one is its
	// owner's only call to it: what others let hang does not keep an owner from a host.
	PerHost int
}

const (
	// patience is how long a call waits for its turn before it goes back to the queue. A host that answers lets all in by
	// then; one that hangs keeps the workers no longer from other hosts.
	patience = 250 * time.Millisecond
	// busyPause is when those look again, if they are few. The more an owner has, the later: all of them together look no
	// more often than Limits.PerOwner times in busyPause, so that many messages do not keep the queue busy.
	busyPause = 250 * time.Millisecond
	// stuckPause is busyPause while a host hangs: each look is a turn of a worker and two writes, which others' messages
	// wait for.
	stuckPause = time.Second
	// maxPause is how late one of very many may notice that its host is back.
	maxPause = time.Minute
	// maxHosts is how many are remembered; beyond it those without calls are forgotten.
	maxHosts = 1000
)

// Limiter bounds the calls to each host. It is safe for concurrent use.
type Limiter struct {
	limits Limits

	mu    sync.Mutex
	hosts map[string]*host
}

// host counts the calls to one host.
type host struct {
	running int
	owners  map[string]*owner
	freed   chan struct{} // closed and replaced whenever a call ends
}

// owner counts the calls of one owner to one host.
type owner struct {
	running   int
	users     int // running or waiting
	postponed int // refused and not back yet
	// stuck is set when a call waited in vain and cleared when one has ended soon: meanwhile none waits. That one
	// begins says nothing, it may hang like those before it.
	stuck bool
}

// New makes a limiter without calls.
func New(l Limits) *Limiter { return &Limiter{limits: l, hosts: map[string]*host{}} }

// Enter waits for the owner's turn at a host. Without leave the host is stuck, or the context ended: the call is
// refused, and comes back after pause with again set.
func (l *Limiter) Enter(
	ctx context.Context, ownerName, hostName string, again bool,
) (leave func(), pause time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	h, o := l.find(hostName, ownerName)
	if again {
		o.postponed = max(o.postponed-1, 0)
	}
	o.users++
	ok := l.admits(h, o)
	if !ok && !o.stuck {
		ok = l.wait(ctx, h, o)
		o.stuck = !ok && ctx.Err() == nil
	}
	if !ok {
		defer l.drop(hostName, ownerName, h, o)
		return nil, l.postpone(o)
	}
	o.running++
	h.running++
	began := clock.Real().Now()
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		o.stuck = o.stuck && clock.Real().Now().Sub(began) >= patience
		o.running--
		h.running--
		close(h.freed)
		h.freed = make(chan struct{})
		l.drop(hostName, ownerName, h, o)
	}, 0
}

// find gives the counts of a host and of one owner there. The caller holds the lock.
func (l *Limiter) find(hostName, ownerName string) (*host, *owner) {
	h := l.hosts[hostName]
	if h == nil {
		if len(l.hosts) >= maxHosts {
			maps.DeleteFunc(l.hosts, func(_ string, h *host) bool { return h.idle() })
		}
		h = &host{owners: map[string]*owner{}, freed: make(chan struct{})}
		l.hosts[hostName] = h
	}
	o := h.owners[ownerName]
	if o == nil {
		o = &owner{}
		h.owners[ownerName] = o
	}
	return h, o
}

// idle reports whether no call is running or waiting.
func (h *host) idle() bool {
	for _, o := range h.owners {
		if o.users > 0 {
			return false
		}
	}
	return true
}

// admits reports whether one more call of the owner may begin.
func (l *Limiter) admits(h *host, o *owner) bool {
	return o.running < l.limits.PerOwner &&
		(h.running < l.limits.PerHost || (o.running == 0 && h.running < 2*l.limits.PerHost))
}

// wait waits for a place, but not for long. The caller holds the lock, which is given up meanwhile.
func (l *Limiter) wait(ctx context.Context, h *host, o *owner) bool {
	timer := clock.Real().NewTimer(patience)
	defer timer.Stop()
	for !l.admits(h, o) {
		freed, over := h.freed, false
		l.mu.Unlock()
		select {
		case <-freed:
		case <-timer.C:
			over = true
		case <-ctx.Done():
			over = true
		}
		l.mu.Lock()
		if over {
			return false
		}
	}
	return true
}

// postpone is when one more refused call comes back.
func (l *Limiter) postpone(o *owner) time.Duration {
	o.postponed++
	pause := busyPause
	if o.stuck {
		pause = stuckPause
	}
	return min(pause*time.Duration(1+o.postponed/l.limits.PerOwner), maxPause)
}

// drop counts a user off. That a host is stuck is remembered for those who come back. The caller holds the lock.
func (l *Limiter) drop(hostName, ownerName string, h *host, o *owner) {
	if o.users--; o.users == 0 && !(o.stuck && o.postponed > 0) {
		delete(h.owners, ownerName)
	}
	if len(h.owners) == 0 {
		delete(l.hosts, hostName)
	}
}
