package registry

import (
	"context"
	"errors"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

// A host that failed this often in a row rests this long.
const (
	failuresToRest = 5
	restTime       = 30 * time.Second
)

// host is what the client remembers of one server: how many requests are
// under way, when the last one started and how often it failed in a row.
type host struct {
	slots chan struct{}

	mu       sync.Mutex
	next     time.Time
	failures int
	resting  time.Time
}

func (c *Client) host(name string) *host {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.hosts[name]
	if h == nil {
		h = &host{slots: make(chan struct{}, c.o.PerHost)}
		c.hosts[name] = h
	}
	return h
}

// enter waits for a free slot and for the pause since the last request. A
// resting host refuses at once, so that nobody waits for it.
func (h *host) enter(ctx context.Context, c clock.Clock, pause time.Duration) error {
	h.mu.Lock()
	resting := c.Now().Before(h.resting)
	h.mu.Unlock()
	if resting {
		return ErrResting
	}
	select {
	case h.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	if pause <= 0 {
		return nil
	}
	h.mu.Lock()
	now := c.Now()
	wait := max(h.next.Sub(now), 0)
	h.next = now.Add(wait + pause)
	h.mu.Unlock()
	if err := clock.Sleep(ctx, c, wait); err != nil {
		h.leave()
		return err
	}
	return nil
}

func (h *host) leave() { <-h.slots }

// report counts failures in a row. Only silence and server errors count: an
// answer of "not found" shows a host in good health, and a caller who went
// away says nothing about it.
func (h *host) report(now time.Time, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var network *NetworkError
	var status *StatusError
	switch {
	case errors.Is(err, context.Canceled):
		return
	case errors.As(err, &network), errors.As(err, &status) && status.Status >= 500:
		h.failures++
	default:
		h.failures = 0
	}
	if h.failures >= failuresToRest {
		h.resting, h.failures = now.Add(restTime), 0
	}
}
