package console

import (
	"context"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/limit"
)

// tryTime is the window in which wrong tries are counted.
const tryTime = 15 * time.Minute

// tries are budgets that a try is charged to; a right one is given back, so
// only wrong ones count.
type tries struct {
	limits    *limit.Limiter
	charges   []limit.Charge
	decisions []limit.Decision
}

func (c *Console) tries(name string, most int64, keys map[string]int64) *tries {
	t := &tries{limits: c.world.Limits}
	for key, times := range keys {
		kind, _, _ := strings.Cut(key, ":")
		t.charges = append(t.charges, limit.Charge{
			Window: limit.Window{Name: Name + "." + name + "." + kind, Limit: most * times, Per: tryTime}, Key: key, Cost: 1,
		})
	}
	return t
}

// passwordTries bounds guessing one person's password and, from one address,
// anybody's.
func (c *Console) passwordTries(name, address string) *tries {
	return c.tries("password", c.config.PasswordTries, map[string]int64{"name:" + strings.ToLower(name): 1, "address:" + address: 4})
}

// codeTries bounds guessing device codes by one person, from one address, and
// by everybody together.
func (c *Console) codeTries(user int64, address string) *tries {
	return c.tries("code", c.config.CodeTries, map[string]int64{
		"user:" + strconv.FormatInt(user, 10): 1, "address:" + address: 4, "all:": 100,
	})
}

// take charges a try; the error is *limit.Exceeded.
func (t *tries) take(ctx context.Context) (err error) {
	t.decisions, err = t.limits.TakeAll(ctx, t.charges)
	return err
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
