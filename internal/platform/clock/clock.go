package clock

import (
	"context"
	"time"
)

// Clock tells the time of one world and hands out timers on it.
type Clock interface {
	// Now is the world's current time, always in UTC.
	Now() time.Time
	// NewTimer fires once, d after Now. A d of zero or less fires at once.
	NewTimer(d time.Duration) *Timer
}

// Timer fires once on C unless it is stopped first.
type Timer struct {
	C    <-chan time.Time
	stop func() bool
}

// Stop keeps the timer from firing and reports whether it was still waiting.
func (t *Timer) Stop() bool { return t.stop() }

// Sleep waits until d has passed on c, or returns the context's error.
func Sleep(ctx context.Context, c Clock, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := c.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

type realClock struct{}

// Real is the machine's clock.
func Real() Clock { return realClock{} }

// Now strips nothing but the zone: the monotonic reading stays, so durations
// measured across a wall-clock jump are right.
func (realClock) Now() time.Time { return time.Now().UTC() }

func (realClock) NewTimer(d time.Duration) *Timer {
	t := time.NewTimer(d)
	return &Timer{C: t.C, stop: t.Stop}
}
