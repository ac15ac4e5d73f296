package console

import (
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/clock"
)

// Pace replaces the clock that times the pauses before a password is checked.
func (c *Console) Pace(pace clock.Clock) { c.pace = pace }

// MaxPause is the longest of them.
const MaxPause = maxPause

// Checks is the pool of password checks.
func (c *Console) Checks() *budget.Pool { return c.checks }
