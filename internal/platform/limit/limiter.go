package limit

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
)

// Options say where a Limiter counts.
type Options struct {
	// DB is where the counters are shared (PostgreSQL) or saved (SQLite); nil
	// counts in memory only.
	DB *database.DB
	// Clock is the world's clock.
	Clock clock.Clock
	// MaxKeys bounds the memory; zero means one million. See the package
	// comment for what a key takes and what happens beyond the bound.
	MaxKeys int
	// GateLease is how long a holder of a gate counts, on PostgreSQL, if its
	// process died without releasing it; zero means five minutes.
	GateLease time.Duration
	// Observe, unless it is nil, is told every decision about a charge.
	Observe func(ctx context.Context, d Decision)
}

// Limiter counts the budgets of one world. It is safe for concurrent use.
type Limiter struct {
	db      *database.DB
	memory  *memory // nil when shared
	shared  *shared // nil when in memory
	observe func(ctx context.Context, d Decision)
}

const (
	defaultMaxKeys   = 1 << 20
	defaultGateLease = 5 * time.Minute
)

// New returns a limiter that shares its counters through PostgreSQL when
// Options.DB is one, and counts in this process otherwise.
func New(o Options) *Limiter {
	if o.MaxKeys <= 0 {
		o.MaxKeys = defaultMaxKeys
	}
	if o.GateLease <= 0 {
		o.GateLease = defaultGateLease
	}
	if o.DB != nil && o.DB.Engine() == database.Postgres {
		return &Limiter{db: o.DB, shared: newShared(o), observe: o.Observe}
	}
	return &Limiter{db: o.DB, memory: newMemory(o.Clock, o.MaxKeys), observe: o.Observe}
}

// Take charges cost points of key's budget. A refusal is an error, *Exceeded,
// that carries the same Decision; every other error means that the budget could
// not be looked up. A cost of zero is refused only by a ban.
func (l *Limiter) Take(ctx context.Context, w Window, key string, cost int64) (Decision, error) {
	if err := check(&w, cost); err != nil {
		return Decision{}, err
	}
	if l.memory != nil {
		return answer(l.observed(ctx, l.memory.take(&w, key, cost, false)))
	}
	d, err := l.shared.take(ctx, w, key, cost, false)
	if err != nil {
		return Decision{}, err
	}
	return answer(l.observed(ctx, d))
}

// observed tells the observer and returns the same.
func (l *Limiter) observed(ctx context.Context, d Decision) Decision {
	if l.observe != nil {
		l.observe(ctx, d)
	}
	return d
}

// Spend charges what has already been used up, such as processor time: it is
// never refused and may overdraw the budget.
func (l *Limiter) Spend(ctx context.Context, w Window, key string, cost int64) (Decision, error) {
	if err := check(&w, cost); err != nil {
		return Decision{}, err
	}
	if l.memory != nil {
		return l.memory.take(&w, key, cost, true), nil
	}
	return l.shared.take(ctx, w, key, cost, true)
}

// Peek returns what is left without charging and without refusing.
func (l *Limiter) Peek(ctx context.Context, w Window, key string) (Decision, error) {
	if err := check(&w, 0); err != nil {
		return Decision{}, err
	}
	if l.memory != nil {
		return l.memory.peek(&w, key), nil
	}
	return l.shared.peek(ctx, w, key)
}

// TakeAll makes all charges or none. The decisions are in the order of the
// charges and tell of each whether it fits. A refusal is an error, *Exceeded, of
// the first charge that does not, so charges are best listed by importance.
func (l *Limiter) TakeAll(ctx context.Context, charges []Charge) ([]Decision, error) {
	for i := range charges {
		if err := check(&charges[i].Window, charges[i].Cost); err != nil {
			return nil, err
		}
	}
	var refused int
	decisions := make([]Decision, len(charges))
	if l.memory != nil {
		refused = l.memory.takeAll(charges, decisions)
	} else {
		var err error
		if refused, err = l.shared.takeAll(ctx, charges, decisions); err != nil {
			return nil, err
		}
	}
	for _, d := range decisions {
		l.observed(ctx, d)
	}
	if refused >= 0 {
		return decisions, &Exceeded{decisions[refused]}
	}
	return decisions, nil
}

// Refund gives cost points back to the window that made the decision taken, and
// tells what is left then. If that window is over there is nothing to give back.
func (l *Limiter) Refund(ctx context.Context, w Window, key string, cost int64, taken Decision) (Decision, error) {
	if err := check(&w, cost); err != nil {
		return Decision{}, err
	}
	if l.memory != nil {
		return l.memory.refund(&w, key, cost, taken.mark), nil
	}
	return l.shared.refund(ctx, w, key, cost, taken.mark)
}

// Gate admits at most limit holders of key at a time. The holder calls release
// when done; a second call does nothing. A refusal is an error, *Exceeded.
// release is never nil.
func (l *Limiter) Gate(ctx context.Context, name, key string, limit int64) (release func(), d Decision, err error) {
	if l.memory != nil {
		release, d = l.memory.enter(name, key, limit)
	} else if release, d, err = l.shared.enter(ctx, name, key, limit); err != nil {
		return noRelease, Decision{}, err
	}
	d, err = answer(d)
	return release, d, err
}

func answer(d Decision) (Decision, error) {
	if !d.Allowed {
		return d, &Exceeded{d}
	}
	return d, nil
}

// check refuses what no contract asks for.
func check(w *Window, cost int64) error {
	if cost < 0 || cost > maxCost || w.Per <= 0 {
		return ErrCost
	}
	return nil
}
