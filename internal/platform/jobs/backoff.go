package jobs

import (
	"time"

	"stoa.dev/stoa/internal/platform/ids"
)

// Backoff says how long a failed job waits.
type Backoff struct {
	// First is the wait after the first failure; zero means one second.
	First time.Duration
	// Factor multiplies the wait after each further failure; zero means 2.
	Factor float64
	// Max is the longest wait; zero means one hour.
	Max time.Duration
	// Jitter is the share of the wait, 0 to 1, that is drawn at random: 0.2
	// waits between 0.8 and 1.2 of it. Negative means none, zero means 0.1.
	Jitter float64
	// Steps, when given, are the exact waits instead; the last one repeats.
	Steps []time.Duration
}

const (
	defaultFirst  = time.Second
	defaultFactor = 2
	defaultMax    = time.Hour
	defaultJitter = 0.1
)

// wait is the pause after the given attempt failed.
func (b Backoff) wait(attempt int, source *ids.Source) time.Duration {
	if len(b.Steps) > 0 {
		return b.Steps[min(attempt, len(b.Steps))-1]
	}
	if b.First <= 0 {
		b.First = defaultFirst
	}
	if b.Factor <= 0 {
		b.Factor = defaultFactor
	}
	if b.Max <= 0 {
		b.Max = max(defaultMax, b.First)
	}
	d := float64(b.First)
	for i := 1; i < attempt && d < float64(b.Max); i++ {
		d *= b.Factor
	}
	d = min(d, float64(b.Max))
	switch {
	case b.Jitter == 0:
		b.Jitter = defaultJitter
	case b.Jitter < 0:
		return time.Duration(d)
	}
	return time.Duration(d * (1 + min(b.Jitter, 1)*(2*source.Float64()-1)))
}
