package registry

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/clock"
)

const (
	// failuresToRest in a row let a host rest for restTime, in which it is asked
	// once every probeEvery to see whether it has recovered.
	failuresToRest = 5
	restTime       = 30 * time.Second
	probeEvery     = time.Second

	// patience is how long a request keeps a place that others wait for. One
	// that takes longer goes on beside them, so that a package on which a
	// registry hangs holds up that package alone.
	patience = time.Second
	// slowPlaces is how many times the places of a host may be taken by such
	// requests.
	slowPlaces = 4
	// perPackage is how many places of a host one package has.
	perPackage = 2
	packages   = 1 << 30
)

// site is what has places of its own: a host, by ecosystem. A proxy that serves
// seven ecosystems under one name is seven sites.
type site struct {
	host string
	kind Kind
}

// host is what the client remembers of one site: who has its places, when the
// last request started and how often it failed in a row.
type host struct {
	places, slow, shares *budget.Pool

	mu       sync.Mutex
	next     time.Time
	failures int
	resting  time.Time
	probe    time.Time
}

func (c *Client) host(name string, kind Kind) *host {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := site{name, kind}
	h := c.hosts[at]
	if h == nil {
		c.forgetIdle()
		n := int64(c.o.PerHost)
		h = &host{
			// One caller leaves a place to the others.
			places: budget.New(budget.Options{Name: "fetches", Total: n, PerOwner: max(1, n-1), Wait: c.o.Timeout}),
			slow:   budget.New(budget.Options{Name: "fetches", Total: slowPlaces * n, PerOwner: slowPlaces * n / 2}),
			shares: budget.New(budget.Options{Name: "fetches", Total: packages, PerOwner: perPackage, Wait: c.o.Timeout}),
		}
		c.hosts[at] = h
	}
	return h
}

// maxHosts bounds how many sites are remembered: documents name any host.
const maxHosts = 1024

// forgetIdle drops sites that nothing is under way to when there are many.
func (c *Client) forgetIdle() {
	if len(c.hosts) < maxHosts {
		return
	}
	for at, h := range c.hosts {
		if h.places.Used()+h.slow.Used()+h.shares.Used() == 0 {
			delete(c.hosts, at)
		}
	}
}

// enter waits for a place and for the pause since the last request. A resting
// host refuses at once, so that no request waits for it.
func (h *host) enter(ctx context.Context, c clock.Clock, pause time.Duration) (*seat, error) {
	if h.rests(c.Now()) {
		return nil, ErrResting
	}
	t := taskOf(ctx)
	s := &seat{host: h, owner: t.Owner}
	var err error
	if t.Package != "" {
		if s.share, err = h.shares.Take(ctx, budget.Caller(t.Package), 1); err != nil {
			return nil, err
		}
	}
	if s.place, err = h.places.Take(ctx, t.Owner, 1); err != nil {
		s.share.Release()
		return nil, err
	}
	s.watch()
	if pause <= 0 {
		return s, nil
	}
	h.mu.Lock()
	now := c.Now()
	wait := max(h.next.Sub(now), 0)
	h.next = now.Add(wait + pause)
	h.mu.Unlock()
	if err := clock.Sleep(ctx, c, wait); err != nil {
		s.leave()
		return nil, err
	}
	return s, nil
}

// rests reports whether the host is left alone now.
func (h *host) rests(now time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !now.Before(h.resting) {
		return false
	}
	if now.Before(h.probe) {
		return true
	}
	h.probe = now.Add(probeEvery)
	return false
}

// seat is the place of one request.
type seat struct {
	host         *host
	owner        budget.Owner
	share, place *budget.Grant
	stop         func()

	mu   sync.Mutex
	slow *budget.Grant
	left bool
}

// watch lets the request go on beside the others once it is slow. Where too
// many are, it keeps its place: the time until the first byte bounds that.
func (s *seat) watch() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	stop := context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.left || ctx.Err() == context.Canceled {
			return
		}
		if slow, err := s.host.slow.Take(context.Background(), s.owner, 1); err == nil {
			s.slow = slow
			s.place.Release()
		}
	})
	s.stop = func() { stop(); cancel() }
}

func (s *seat) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left = true
	s.stop()
	s.place.Release()
	s.slow.Release()
	s.share.Release()
}

// report counts failures in a row. Only connections that fail and server errors
// count: an answer of "not found" shows a host in good health, one that is late
// says something about what was asked, and a caller who went away says nothing.
func (h *host) report(now time.Time, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var network *NetworkError
	var status *StatusError
	switch {
	case errors.Is(err, context.Canceled), late(err):
		return
	case errors.As(err, &network), errors.As(err, &status) && status.Status >= 500:
		h.failures++
	default:
		h.failures, h.resting = 0, time.Time{}
	}
	if h.failures >= failuresToRest {
		h.resting, h.probe, h.failures = now.Add(restTime), now.Add(probeEvery), 0
	}
}

// late reports whether a fetch ran out of time after a connection was made.
func late(err error) bool {
	var dial *net.OpError
	if errors.As(err, &dial) && dial.Op == "dial" {
		return false
	}
	var timed net.Error
	return errors.As(err, &timed) && timed.Timeout()
}
