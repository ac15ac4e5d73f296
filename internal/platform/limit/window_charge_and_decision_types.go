package limit

import (
	"embed"
	"errors"
	"fmt"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

// Window is a budget of Limit points per Per. The zero values of the last two
// fields give a fixed window that starts with a key's first charge.
type Window struct {
	// Name sets budgets apart; one key may have many.
	Name string
	// Limit is how many points fit; zero or less admits nothing.
	Limit int64
	// Per is how long a window lasts.
	Per time.Duration
	// Aligned windows start at multiples of Per since 1970 UTC instead of at
	// the first charge, so that every key resets at the same moment.
	Aligned bool
	// Penalty blocks keys that go on while they are refused.
	Penalty Penalty
}

// Penalty is an escalating ban. The zero value bans no key.
type Penalty struct {
	// After is how many refusals in a row start a ban. A new fixed window
	// starts a new row, except while the key is banned.
	After int64
	// Base is how long the first ban lasts; each further one is twice as long.
	Base time.Duration
	// Max is the longest ban; zero means 64 times Base.
	Max time.Duration
}

// Charge is one of several budgets that TakeAll charges together.
type Charge struct {
	Window Window
	Key    string
	Cost   int64
}

// Decision is the answer to a charge and what the reply headers say about it.
type Decision struct {
	// Name is the window's or gate's name.
	Name string
	// Allowed reports whether the charge was made.
	Allowed bool
	// Banned means that a penalty, not the budget itself, refused.
	Banned bool
	// Limit, Used and Remaining are the budget after this decision. Remaining
	// is never negative.
	Limit, Remaining, Used int64
	// Reset is when the whole budget is free again.
	Reset time.Time
	// RetryAfter is how long a refused charge must wait; zero when allowed.
	RetryAfter time.Duration

	// mark is the end of the window that was charged, so that a refund finds
	// it. Unix nanoseconds.
	mark int64
}

// Exceeded is the error of a refused charge.
type Exceeded struct {
	Decision
}

// Error names the budget and when to come back.
func (e *Exceeded) Error() string {
	if e.Banned {
		return fmt.Sprintf("limit %s: blocked after too many refused requests, retry in %s", e.Name, e.RetryAfter)
	}
	return fmt.Sprintf("limit %s: %d of %d used, retry in %s", e.Name, e.Used, e.Limit, e.RetryAfter)
}

// Busy sets the refusal apart from failures for readers below this package.
func (e *Exceeded) Busy() bool { return true }

// ErrCost is a charge below zero or beyond 2^53, or a window without a length:
// a programming error in the caller.
var ErrCost = errors.New("limit: cost out of range or window without a length")

//go:embed migrations/*.sql
var files embed.FS

// Migrations create the limiter's tables.
func Migrations() database.Migrations { return database.Embedded("limit", files) }
