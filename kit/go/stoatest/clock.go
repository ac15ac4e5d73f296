package stoatest

import (
	"fmt"
	"time"
)

// Clock is a world's clock. Everything that a client sees follows it.
type Clock struct{ world *TestWorld }

type clockJSON struct {
	Mode string  `json:"mode,omitempty"`
	Now  string  `json:"now,omitempty"`
	Rate float64 `json:"rate,omitempty"`
}

// Advanced is what happened while a clock moved.
type Advanced struct {
	From, To time.Time
	// Ran are the first 1,000 jobs, RanCount is how many there were.
	Ran      []Ran
	RanCount int
	// Left is how many jobs are due later.
	Left int
}

// Ran is a job that ran.
type Ran struct {
	At                             time.Time
	Kind, Service, Outcome, Detail string
}

// checkTime refuses what is not a time in RFC 3339; member is who was given it.
func checkTime(member, text string) error {
	if _, err := time.Parse(time.RFC3339, text); err != nil {
		return fmt.Errorf("%s: %q is not a time such as 2026-03-01T09:00:00Z", member, text)
	}
	return nil
}

// Now is the world's time.
func (c *Clock) Now() time.Time {
	c.world.t.Helper()
	var out struct{ Now time.Time }
	c.world.call("GET", "/clock", nil, &out)
	return out.Now
}

// Freeze stops the clock at a time in RFC 3339; the empty text stops it where it is.
func (c *Clock) Freeze(now string) {
	c.world.t.Helper()
	if now != "" {
		c.check("Freeze", now)
	}
	c.world.call("PATCH", "/clock", clockJSON{Mode: "frozen", Now: now}, nil)
}

func (c *Clock) check(member, text string) {
	c.world.t.Helper()
	if err := checkTime(member, text); err != nil {
		c.world.t.Fatalf("stoatest: %v", err)
	}
}

// Run has the clock run at a rate: 3600 makes an hour of a second.
func (c *Clock) Run(rate float64) {
	c.world.t.Helper()
	c.world.call("PATCH", "/clock", clockJSON{Mode: "running", Rate: rate}, nil)
}

// Advance moves the clock and returns when everything that was due has happened.
func (c *Clock) Advance(by time.Duration) Advanced {
	c.world.t.Helper()
	var out Advanced
	c.world.call("POST", "/clock/advance", map[string]string{"by": by.String()}, &out)
	return out
}

// AdvanceTo moves the clock to a time in RFC 3339.
func (c *Clock) AdvanceTo(when string) Advanced {
	c.world.t.Helper()
	c.check("AdvanceTo", when)
	var out Advanced
	c.world.call("POST", "/clock/advance", map[string]string{"to": when}, &out)
	return out
}

// Settle runs what is due now and waits for it.
func (c *Clock) Settle() Advanced {
	c.world.t.Helper()
	var out Advanced
	c.world.call("POST", "/clock/settle", struct{}{}, &out)
	return out
}
