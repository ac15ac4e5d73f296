package route

import (
	"context"
	"errors"
	"sync"
	"time"
)

// deadline is a context that starts its timer only when somebody waits for it:
// a handler that answers from memory pays nothing for its time limit. Once
// started it is an ordinary context.WithDeadline, which it hands out for all
// purposes, so that contexts derived from it need no goroutine.
//
// The time limit runs on the machine's clock. On a frozen world clock it would
// never pass, and advancing one by a month would end every request in flight.
type deadline struct {
	parent context.Context
	at     time.Time

	mu     sync.Mutex
	inner  context.Context
	cancel context.CancelFunc
	ended  bool
}

// live starts the timer if it does not run yet.
func (d *deadline) live() context.Context {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.inner == nil {
		d.inner, d.cancel = context.WithDeadline(d.parent, d.at)
		if d.ended {
			d.cancel()
		}
	}
	return d.inner
}

// end stops the timer and cancels whoever still waits.
func (d *deadline) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ended = true
	if d.cancel != nil {
		d.cancel()
	}
}

// passed reports whether the timer ran and has fired.
func (d *deadline) passed() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.inner != nil && errors.Is(context.Cause(d.inner), context.DeadlineExceeded)
}

// Deadline is the earlier of the route's and the parent's.
func (d *deadline) Deadline() (time.Time, bool) {
	if at, ok := d.parent.Deadline(); ok && at.Before(d.at) {
		return at, true
	}
	return d.at, true
}

// Done starts the timer: now somebody waits.
func (d *deadline) Done() <-chan struct{} { return d.live().Done() }

// Err starts the timer too, so that it and Done always agree.
func (d *deadline) Err() error { return d.live().Err() }

// Value asks the started context first; package context finds its own kind of
// parent that way.
func (d *deadline) Value(key any) any {
	d.mu.Lock()
	c := d.inner
	d.mu.Unlock()
	if c == nil {
		c = d.parent
	}
	return c.Value(key)
}
