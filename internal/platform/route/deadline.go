package route

import (
	"context"
	"errors"
	"sync"
	"time"
)

// lazyDeadline is a context that starts its timer only when something waits for
// it: a handler that answers from memory pays nothing for its time limit. With
// context.WithDeadline BenchmarkMux has 11 allocations instead of 7. Once
// started it is an ordinary context.WithDeadline, which it hands out for all
// purposes, so that contexts derived from it need no goroutine.
//
// The time limit runs on the machine's clock. On a frozen world clock it would
// never pass, and advancing one by a month would end every request in flight.
type lazyDeadline struct {
	parent context.Context
	at     time.Time

	mu     sync.Mutex
	inner  context.Context
	cancel context.CancelFunc
	ended  bool
}

// started starts the timer if it does not run yet.
func (d *lazyDeadline) started() context.Context {
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

// end stops the timer and cancels what still waits.
func (d *lazyDeadline) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ended = true
	if d.cancel != nil {
		d.cancel()
	}
}

// passed reports whether the timer ran and has fired.
func (d *lazyDeadline) passed() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.inner != nil && errors.Is(context.Cause(d.inner), context.DeadlineExceeded)
}

// Deadline is the earlier of the route's and the parent's.
func (d *lazyDeadline) Deadline() (time.Time, bool) {
	if at, ok := d.parent.Deadline(); ok && at.Before(d.at) {
		return at, true
	}
	return d.at, true
}

// Done starts the timer: now something waits.
func (d *lazyDeadline) Done() <-chan struct{} { return d.started().Done() }

// Err starts the timer too, so that it and Done always agree.
func (d *lazyDeadline) Err() error { return d.started().Err() }

// Value asks the started context first; package context finds its own kind of
// parent that way.
func (d *lazyDeadline) Value(key any) any {
	d.mu.Lock()
	c := d.inner
	d.mu.Unlock()
	if c == nil {
		c = d.parent
	}
	return c.Value(key)
}
