package console

import (
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/clock"
)

// SetPauseClock replaces the clock that times the pauses before a password check.
func (c *Console) SetPauseClock(pauses clock.Clock) { c.pauseClock = pauses }

// MaxPause is the longest pause.
const MaxPause = maxPause

// PasswordChecks is the pool of password checks.
func (c *Console) PasswordChecks() *budget.Pool { return c.passwordChecks }
