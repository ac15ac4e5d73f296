package console

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
)

const (
	// tryTime is the window in which wrong tries are counted.
	tryTime = 15 * time.Minute
	// firstPause and maxPause bound how long a password of a name is waited
	// with that many others try: 250 ms, doubled by every wrong try.
	firstPause = 250 * time.Millisecond
	maxPause   = 8 * time.Second
	// checkWait is how long a password waits to be checked.
	checkWait = 10 * time.Second
)

// newChecks is the pool that password checks take their places from: one for
// each network, and half of all for browsers that have signed in before.
func newChecks() *budget.Pool {
	total := int64(identity.DefaultPasswords().Concurrent)
	return budget.New(budget.Options{
		Name: Name + ".password", Total: total, PerOwner: max(1, total/2), Anonymous: max(1, total/2), Wait: checkWait,
	})
}

// tries are budgets that a try is charged to; a right one is given back, so
// only wrong ones count.
type tries struct {
	limits    *limit.Limiter
	charges   []limit.Charge
	decisions []limit.Decision
}

// charge is one budget of a try. Its kind keeps the budgets apart.
func (c *Console) charge(what, kind, key string, most int64) limit.Charge {
	window := limit.Window{Name: Name + "." + what + "." + kind, Limit: most, Per: tryTime}
	return limit.Charge{Window: window, Key: key, Cost: 1}
}

func (c *Console) tries(charges ...limit.Charge) *tries {
	return &tries{limits: c.world.Limits, charges: charges}
}

// signInTries admits a try to sign in and says who answers for the work of it.
// Nobody's tries refuse another's: what refuses is counted by network, and a
// name that many networks try costs the rest of them a bounded pause. A browser
// that has signed in as the name before has a budget that only such browsers
// can use, and no pause; once that is used up it is like any other.
func (c *Console) signInTries(r *route.Request, name string) (*tries, budget.Owner, error) {
	ctx, name, network := r.Context(), strings.ToLower(name), route.Network(r.Request)
	if slices.Contains(c.knownNames(r), name) {
		t := c.tries(c.charge("password", "browser", name, c.config.PasswordTries))
		err := t.take(ctx)
		var exceeded *limit.Exceeded
		if !errors.As(err, &exceeded) {
			return t, budget.Caller("name:" + name), err
		}
	}
	t := c.tries(
		c.charge("password", "pair", network+" "+name, c.config.PasswordTries),
		c.charge("password", "network", network, 4*c.config.PasswordTries))
	if err := t.take(ctx); err != nil {
		return nil, budget.Owner{}, err
	}
	// Twice what one network has: one alone slows down nobody.
	d, err := t.spend(ctx, c.charge("password", "name", name, 2*c.config.PasswordTries))
	if err != nil {
		return nil, budget.Owner{}, err
	}
	return t, budget.Address(network), clock.Sleep(ctx, c.pace, pauseAfter(d.Used-d.Limit))
}

// pauseAfter is how long the try waits that is the n-th beyond what is free.
func pauseAfter(n int64) time.Duration {
	if n <= 0 {
		return 0
	}
	pause := firstPause
	for ; n > 1 && pause < maxPause; n-- {
		pause *= 2
	}
	return min(pause, maxPause)
}

// changeTries bounds guessing the password in an open session. Only the session
// itself can use it up.
func (c *Console) changeTries(session int64) *tries {
	return c.tries(c.charge("password", "session", strconv.FormatInt(session, 10), c.config.PasswordTries))
}

// codeTries bounds guessing device codes. Only the user can use it up: with N
// accounts N times as many codes are tried, of 25 thousand million.
func (c *Console) codeTries(user int64) *tries {
	return c.tries(c.charge("code", "user", strconv.FormatInt(user, 10), c.config.CodeTries))
}

// take charges a try; the error is *limit.Exceeded.
func (t *tries) take(ctx context.Context) (err error) {
	t.decisions, err = t.limits.TakeAll(ctx, t.charges)
	return err
}

// spend counts a try where none is refused.
func (t *tries) spend(ctx context.Context, charge limit.Charge) (limit.Decision, error) {
	d, err := t.limits.Spend(ctx, charge.Window, charge.Key, charge.Cost)
	if err == nil {
		t.charges, t.decisions = append(t.charges, charge), append(t.decisions, d)
	}
	return d, err
}

// giveBack undoes a try that was right.
func (t *tries) giveBack(ctx context.Context) error {
	for n, charge := range t.charges {
		if _, err := t.limits.Refund(ctx, charge.Window, charge.Key, charge.Cost, t.decisions[n]); err != nil {
			return err
		}
	}
	return nil
}
