package console

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/identity/passwords"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/clientaddr"
)

const (
	// attemptWindow is how long a wrong attempt counts.
	attemptWindow = 15 * time.Minute
	// firstPause and maxPause bound the pause before a password is checked for a
	// name that many networks try: 250 ms, doubled by every wrong attempt.
	firstPause = 250 * time.Millisecond
	maxPause   = 8 * time.Second
	// checkWait is how long a password waits for a slot to be checked in.
	checkWait = 10 * time.Second
)

// newPasswordChecks is the pool that password checks take their slots from: one
// for each network, and half of all for browsers that have signed in before.
func newPasswordChecks() *budget.Pool {
	total := int64(passwords.Default().Concurrent)
	return budget.New(budget.Options{
		Name: Name + ".password", Total: total, PerOwner: max(1, total/2), Anonymous: max(1, total/2), Wait: checkWait,
	})
}

// attempts are the limits that an attempt is charged to. A right one is refunded,
// so only wrong ones count.
type attempts struct {
	limits    *limit.Limiter
	charges   []limit.Charge
	decisions []limit.Decision
}

// charge is one limit of an attempt. Its kind keeps the limits apart.
func (c *Console) charge(what, kind, key string, maxAttempts int64) limit.Charge {
	window := limit.Window{Name: Name + "." + what + "." + kind, Limit: maxAttempts, Per: attemptWindow}
	return limit.Charge{Window: window, Key: key, Cost: 1}
}

func (c *Console) newAttempts(charges ...limit.Charge) *attempts {
	return &attempts{limits: c.world.Limits, charges: charges}
}

// signInAttempts admits an attempt to sign in and says whose share of the password
// checks it uses. The attempts of one client never refuse another: refusals are
// counted by network, and a name that many networks try costs the rest of them a
// bounded pause. A browser that has signed in as the name before has a limit that
// only such browsers can use up, and no pause; beyond it, it is like any other.
func (c *Console) signInAttempts(r *route.Request, name string) (*attempts, budget.Owner, error) {
	ctx, name, network := r.Context(), strings.ToLower(name), clientaddr.Network(r.Request)
	if slices.Contains(c.knownNames(r), name) {
		t := c.newAttempts(c.charge("password", "browser", name, c.config.PasswordTries))
		err := t.take(ctx)
		var exceeded *limit.Exceeded
		if !errors.As(err, &exceeded) {
			return t, budget.Caller("name:" + name), err
		}
	}
	t := c.newAttempts(
		c.charge("password", "pair", network+" "+name, c.config.PasswordTries),
		c.charge("password", "network", network, 4*c.config.PasswordTries))
	if err := t.take(ctx); err != nil {
		return nil, budget.Owner{}, err
	}
	// Twice what one network has, so that one network alone causes no pause.
	d, err := t.spend(ctx, c.charge("password", "name", name, 2*c.config.PasswordTries))
	if err != nil {
		return nil, budget.Owner{}, err
	}
	return t, budget.Address(network), clock.Sleep(ctx, c.pauseClock, pauseAfter(d.Used-d.Limit))
}

// pauseAfter is how long the n-th attempt beyond the free ones waits.
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

// passwordChangeAttempts bounds guessing the password in an open session. Only the
// session itself can use it up.
func (c *Console) passwordChangeAttempts(session int64) *attempts {
	return c.newAttempts(c.charge("password", "session", strconv.FormatInt(session, 10), c.config.PasswordTries))
}

// userCodeAttempts bounds guessing device codes. Only the user can use it up: with
// N accounts N times as many codes are tried, of 25 thousand million.
func (c *Console) userCodeAttempts(user int64) *attempts {
	return c.newAttempts(c.charge("code", "user", strconv.FormatInt(user, 10), c.config.CodeTries))
}

// take charges an attempt; the error is *limit.Exceeded.
func (t *attempts) take(ctx context.Context) (err error) {
	t.decisions, err = t.limits.TakeAll(ctx, t.charges)
	return err
}

// spend counts an attempt that is not refused.
func (t *attempts) spend(ctx context.Context, charge limit.Charge) (limit.Decision, error) {
	d, err := t.limits.Spend(ctx, charge.Window, charge.Key, charge.Cost)
	if err == nil {
		t.charges, t.decisions = append(t.charges, charge), append(t.decisions, d)
	}
	return d, err
}

// refund undoes an attempt that was right.
func (t *attempts) refund(ctx context.Context) error {
	for n, charge := range t.charges {
		if _, err := t.limits.Refund(ctx, charge.Window, charge.Key, charge.Cost, t.decisions[n]); err != nil {
			return err
		}
	}
	return nil
}
