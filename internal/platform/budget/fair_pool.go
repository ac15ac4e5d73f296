package budget

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/wire"
)

// Owner is who answers for a piece of work.
type Owner struct {
	key       string
	anonymous bool
}

// Caller is the owner behind a credential; key is its LimitKey.
func Caller(key string) Owner { return Owner{key: key} }

// Address is a caller without a credential, known by its network only.
func Address(network string) Owner { return Owner{key: "address:" + network, anonymous: true} }

// Options size a Pool. Zero PerOwner and Anonymous mean Total, zero Share means PerOwner.
type Options struct {
	// Name is what a refusal calls the pool.
	Name string
	// Total is how much there is in all, in units of the pool's choice.
	Total int64
	// PerOwner is how much one owner may hold.
	PerOwner int64
	// Anonymous is how much all callers without a credential may hold together.
	Anonymous int64
	// Share is what one owner may hold whatever others hold beyond theirs; Beyond is
	// what all owners may hold together beyond their shares, those without a credential
	// half of it. Large work is possible that way, and no few owners can take it all.
	Share, Beyond int64
	// Wait is how long Take waits for others to release; zero does not wait.
	Wait time.Duration
}

// Pool is a weighted semaphore with a share per owner.
type Pool struct {
	o Options

	mu        sync.Mutex
	used      int64
	anonymous int64             // the part of used without a credential
	beyond    int64             // the part of used beyond the shares of its owners
	unknown   int64             // the part of beyond without a credential
	held      map[string]*int64 // what each owner holds; see share
	keep      int               // entries of held at which those of 0 go
	waiting   []*line           // one of each owner that waits; who was served last is last
}

// line is what one owner waits for, in order of arrival.
type line struct {
	owner   Owner
	waiters []*waiter
}

type waiter struct {
	n     int64
	ready chan struct{} // closed once the grant is made
}

// maxWaiting is how many pieces of work one owner may have waiting; one more is
// refused at once.
const maxWaiting = 256

// minKept is how many owners a Pool remembers at least.
const minKept = 1024

// New makes a Pool.
func New(o Options) *Pool {
	if o.PerOwner <= 0 || o.PerOwner > o.Total {
		o.PerOwner = o.Total
	}
	if o.Anonymous <= 0 || o.Anonymous > o.Total {
		o.Anonymous = o.Total
	}
	if o.Share <= 0 || o.Share > o.PerOwner {
		o.Share, o.Beyond = o.PerOwner, 0
	}
	return &Pool{o: o, held: map[string]*int64{}, keep: minKept}
}

// Max is the most that one grant of the owner can ever hold.
func (p *Pool) Max(owner Owner) int64 {
	if owner.anonymous {
		return min(p.o.PerOwner, p.o.Anonymous, p.o.Share+p.o.Beyond/2)
	}
	return min(p.o.PerOwner, p.o.Share+p.o.Beyond)
}

// Used is how much is held now, for metrics.
func (p *Pool) Used() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.used
}

// Waiting is how many pieces of work wait for their share.
func (p *Pool) Waiting() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, l := range p.waiting {
		n += len(l.waiters)
	}
	return int64(n)
}

// Total is how much there is in all.
func (p *Pool) Total() int64 { return p.o.Total }

// Take reserves n units for the owner, waiting up to Wait for others. The grant
// must be released. A nil Pool grants everything: descriptions of services are
// built without one.
func (p *Pool) Take(ctx context.Context, owner Owner, n int64) (*Grant, error) {
	if err := p.Enter(ctx, owner, n); err != nil {
		return nil, err
	}
	return &Grant{pool: p, owner: owner, n: max(n, 0)}, nil
}

// Enter is Take for a caller that keeps its own books: it must Leave with the
// same owner and number.
func (p *Pool) Enter(ctx context.Context, owner Owner, n int64) error {
	if p == nil || n <= 0 {
		return nil
	}
	if n > p.Max(owner) {
		return &wire.SizeError{Limit: p.Max(owner)}
	}
	p.mu.Lock()
	// No piece of work overtakes one that waits, except of owners that hold
	// nothing.
	held := p.share(owner)
	if p.fits(owner, *held, n) && (len(p.waiting) == 0 || *held == 0) {
		p.add(owner, held, n)
		p.mu.Unlock()
		return nil
	}
	w := p.enqueue(owner, n)
	p.mu.Unlock()
	if w == nil {
		return p.exceeded(owner)
	}
	return p.await(ctx, owner, w)
}

// enqueue lets the owner wait; nil when it may not.
func (p *Pool) enqueue(owner Owner, n int64) *waiter {
	if p.o.Wait <= 0 {
		return nil
	}
	w := &waiter{n: n, ready: make(chan struct{})}
	for _, l := range p.waiting {
		if l.owner == owner {
			if len(l.waiters) >= maxWaiting {
				return nil
			}
			l.waiters = append(l.waiters, w)
			return w
		}
	}
	p.waiting = append(p.waiting, &line{owner: owner, waiters: []*waiter{w}})
	return w
}

// Leave gives back what Enter took.
func (p *Pool) Leave(owner Owner, n int64) {
	if p == nil || n <= 0 {
		return
	}
	p.mu.Lock()
	p.add(owner, p.share(owner), -n)
	if len(p.waiting) > 0 {
		p.serve()
	}
	p.mu.Unlock()
}

func (p *Pool) await(ctx context.Context, owner Owner, w *waiter) error {
	ctx, cancel := context.WithTimeoutCause(ctx, p.o.Wait, p.exceeded(owner))
	defer cancel()
	select {
	case <-w.ready:
		return nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, l := range p.waiting {
		if n := slices.Index(l.waiters, w); n >= 0 {
			p.leaveLine(i, n)
			p.serve() // those behind may fit where this one did not
			return context.Cause(ctx)
		}
	}
	return nil // granted in the meantime
}

// leaveLine takes waiter n out of line i. An owner that still waits goes to the
// end: among equals the next is another.
func (p *Pool) leaveLine(i, n int) {
	l := p.waiting[i]
	l.waiters = slices.Delete(l.waiters, n, n+1)
	p.waiting = slices.Delete(p.waiting, i, i+1)
	if len(l.waiters) > 0 {
		p.waiting = append(p.waiting, l)
	}
}

// fits reports whether the owner, who holds some, may hold n more now.
func (p *Pool) fits(owner Owner, held, n int64) bool {
	return p.used+n <= p.o.Total && p.allowed(owner, held, n)
}

// allowed reports whether n more are within the owner's own shares.
func (p *Pool) allowed(owner Owner, held, n int64) bool {
	if held+n > p.o.PerOwner || owner.anonymous && p.anonymous+n > p.o.Anonymous {
		return false
	}
	more := p.above(held+n) - p.above(held)
	return more <= 0 || p.beyond+more <= p.o.Beyond && (!owner.anonymous || p.unknown+more <= p.o.Beyond/2)
}

// above is by how much an owner is beyond its share.
func (p *Pool) above(held int64) int64 { return max(0, held-p.o.Share) }

// add gives an owner n more or takes them back.
func (p *Pool) add(owner Owner, held *int64, n int64) {
	more := p.above(*held+n) - p.above(*held)
	p.used += n
	p.beyond += more
	if owner.anonymous {
		p.anonymous += n
		p.unknown += more
	}
	*held += n
}

// share is the account of an owner. Every request comes by here twice, so an
// account stays when it is at 0 and goes with all others of 0 once there are
// many: adding and deleting an entry for each request cost more than all else.
func (p *Pool) share(owner Owner) *int64 {
	if held, ok := p.held[owner.key]; ok {
		return held
	}
	if len(p.held) >= p.keep {
		maps.DeleteFunc(p.held, func(_ string, held *int64) bool { return *held == 0 })
		p.keep = max(minKept, 2*len(p.held))
	}
	held := new(int64)
	p.held[owner.key] = held
	return held
}

// serve grants what fits: the owner that holds the least first. Who is next and
// does not fit yet holds up the others, or a large request would never be
// served beside many small ones.
func (p *Pool) serve() {
	for {
		next := -1
		least := int64(0)
		for i, l := range p.waiting {
			held := *p.share(l.owner)
			if p.allowed(l.owner, held, l.waiters[0].n) && (next < 0 || held < least) {
				next, least = i, held
			}
		}
		if next < 0 || p.used+p.waiting[next].waiters[0].n > p.o.Total {
			return
		}
		owner, w := p.waiting[next].owner, p.waiting[next].waiters[0]
		p.leaveLine(next, 0)
		p.add(owner, p.share(owner), w.n)
		close(w.ready)
	}
}

// exceeded is the refusal: the pool is busy, or the owner's share of it.
func (p *Pool) exceeded(owner Owner) *limit.Exceeded {
	return &limit.Exceeded{Decision: limit.Decision{
		Name: p.o.Name, Limit: p.Max(owner), Used: p.Max(owner), RetryAfter: max(p.o.Wait, time.Second),
	}}
}

// Grant is what one piece of work holds.
type Grant struct {
	pool  *Pool
	owner Owner

	mu sync.Mutex
	n  int64
}

// Grow reserves n more without waiting.
func (g *Grant) Grow(n int64) error {
	if g.pool == nil || n <= 0 {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	p := g.pool
	if g.n+n > p.Max(g.owner) {
		return &wire.SizeError{Limit: p.Max(g.owner)}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	held := p.share(g.owner)
	if !p.fits(g.owner, *held, n) {
		return p.exceeded(g.owner)
	}
	p.add(g.owner, held, n)
	g.n += n
	return nil
}

// Release gives everything back. It may be called more than once.
func (g *Grant) Release() {
	if g == nil || g.pool == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pool.Leave(g.owner, g.n)
	g.n = 0
}
