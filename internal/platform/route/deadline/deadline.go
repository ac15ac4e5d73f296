package deadline

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Lazy is a context that starts its timer only when something waits for
// it: a handler that answers from memory pays nothing for its time limit. With
// context.WithDeadline BenchmarkMux has 11 allocations instead of 7. Once
// started it is an ordinary context.WithDeadline, which it hands out for all
// purposes, so that contexts derived from it need no goroutine.
//
// The time limit runs on the machine's clock. On a frozen world clock it would
// never pass, and advancing one by a month would end every request in flight.
type Lazy struct {
	// Parent is what it is derived from, At when it ends, on the machine's clock.
	Parent context.Context //nolint:containedctx // it is one
	At     time.Time

	mu     sync.Mutex
	inner  context.Context
	cancel context.CancelFunc
	ended  bool
}

// started starts the timer if it does not run yet.
func (d *Lazy) started() context.Context {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.inner == nil {
		d.inner, d.cancel = context.WithDeadline(d.Parent, d.At)
		if d.ended {
			d.cancel()
		}
	}
	return d.inner
}

// End stops the timer and cancels what still waits.
func (d *Lazy) End() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ended = true
	if d.cancel != nil {
		d.cancel()
	}
}

// Passed reports whether the timer ran and has fired.
func (d *Lazy) Passed() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.inner != nil && errors.Is(context.Cause(d.inner), context.DeadlineExceeded)
}

// Deadline is the earlier of the route's and the parent's.
func (d *Lazy) Deadline() (time.Time, bool) {
	if at, ok := d.Parent.Deadline(); ok && at.Before(d.At) {
		return at, true
	}
	return d.At, true
}

// Done starts the timer: now something waits.
func (d *Lazy) Done() <-chan struct{} { return d.started().Done() }

// Err starts the timer too, so that it and Done always agree.
func (d *Lazy) Err() error { return d.started().Err() }

// Value asks the started context first; package context finds its own kind of
// parent that way.
func (d *Lazy) Value(key any) any {
	d.mu.Lock()
	c := d.inner
	d.mu.Unlock()
	if c == nil {
		c = d.Parent
	}
	return c.Value(key)
}
