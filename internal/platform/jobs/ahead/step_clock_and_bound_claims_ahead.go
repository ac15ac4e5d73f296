package ahead

import (
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

// maxAhead is how many jobs are claimed before their times at once: as many as workers
// claim before they have one free.
const maxAhead = 256

// Walk is the way of a virtual clock to a time.
type Walk struct {
	Clock *clock.Virtual
	Until time.Time

	calm int // jobs that ran since the last batch that was cut short
}

// Step moves the clock to the next due time, unless that is beyond the end, and returns
// its time.
func (w *Walk) Step(next time.Time) time.Time {
	if next.After(w.Until) {
		return w.Clock.Now()
	}
	w.Clock.Set(next)
	return next
}

// N is how many jobs to claim before their times: not more than have run in a row with
// nothing in between, so that where jobs cause jobs little is claimed to be given back.
func (w *Walk) N() int { return min(w.calm, maxAhead) }

// Ran notes how many jobs of a batch ran, and whether all of them.
func (w *Walk) Ran(n int, all bool) {
	if w.calm += n; !all {
		w.calm = 0
	}
}
