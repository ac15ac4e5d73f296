package dispatch

import (
	"slices"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

const (
	// isolationTime is how long suspects keep other jobs from running, in real
	// time. What is left of them then runs beside the others, still one at a time.
	isolationTime = 30 * time.Second
	// isolationPause is the shortest time between the ends of two such times.
	isolationPause = 5 * time.Minute
)

// isolating reports whether suspects are to run alone now: there are some, and
// their time is not over.
func (d *Dispatcher) isolating(now time.Time) bool {
	waiting := d.suspects.busy() || !d.suspects.next.After(now)
	return waiting && clock.Real().Now().Before(d.isolateUntil)
}

// mayClaim reports whether a group may claim: while isolating, suspects wait until
// all other jobs have ended, and others until there are no suspects.
func (d *Dispatcher) mayClaim(g *group, isolating bool) bool {
	if !isolating {
		return true
	}
	return g == d.suspects && !slices.ContainsFunc(d.groups, func(o *group) bool { return o != d.suspects && o.busy() })
}

// acceptSuspects takes over what a cycle found out about jobs whose process ended.
func (d *Dispatcher) acceptSuspects(p *plan) {
	for _, o := range p.Poisoned {
		d.queue.LogPoison(d.jobs, o)
		d.outcomes = append(d.outcomes, o)
	}
	if !p.Suspects {
		return
	}
	d.suspects.next = p.Now
	if now := clock.Real().Now(); now.Sub(d.isolateUntil) > isolationPause {
		d.isolateUntil = now.Add(isolationTime)
	}
}
