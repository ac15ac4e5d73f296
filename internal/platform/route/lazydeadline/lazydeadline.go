package lazydeadline

import (
	"context"
	"errors"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database/rowmemory"
)

// Context is a context that starts its timer only when something waits for
// it: a handler that answers from memory pays nothing for its time limit. With
// context.WithDeadline BenchmarkMux has 11 allocations instead of 7. Once
// started it is an ordinary context.WithDeadline, which it hands out for all
// purposes, so that contexts derived from it need no goroutine.
//
// The time limit runs on the machine's clock. On a frozen world clock it would
// never pass, and advancing one by a month would end every request in flight.
type Context struct {
	// Parent is what it derives from, nil while it is not in use; At is when it ends.
	Parent context.Context
	At     time.Time
	// Owner answers for the work (budget.OwnerOf); nil while it is not known.
	Owner *budget.Owner
	// Rows counts the rows that are read for the request (rowmemory.Memory); nil for none.
	Rows rowmemory.Memory

	mu     sync.Mutex
	inner  context.Context
	cancel context.CancelFunc
	ended  bool
}

// started starts the timer if it does not run yet.
func (d *Context) started() context.Context {
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
func (d *Context) End() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ended = true
	if d.cancel != nil {
		d.cancel()
	}
}

// MoveTo gives more time; what waited for the earlier time is over.
func (d *Context) MoveTo(at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.cancel != nil {
		d.cancel()
	}
	d.inner, d.cancel, d.At = nil, nil, at
}

// Passed reports whether the timer ran and has fired.
func (d *Context) Passed() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.inner != nil && errors.Is(context.Cause(d.inner), context.DeadlineExceeded)
}

// Deadline is the earlier of the route's and the parent's.
func (d *Context) Deadline() (time.Time, bool) {
	if at, ok := d.Parent.Deadline(); ok && at.Before(d.At) {
		return at, true
	}
	return d.At, true
}

// Done starts the timer: now something waits.
func (d *Context) Done() <-chan struct{} { return d.started().Done() }

// Err starts the timer only when the time has passed or the parent has ended, so that it
// and Done always agree: every read of the database asks for it, and few wait for Done.
func (d *Context) Err() error {
	d.mu.Lock()
	inner, ended, at := d.inner, d.ended, d.At
	d.mu.Unlock()
	if inner == nil && !ended && d.Parent.Err() == nil && clock.Real().Now().Before(at) {
		return nil
	}
	return d.started().Err()
}

// Value asks the started context first; package context finds its own kind of
// parent that way.
func (d *Context) Value(key any) any {
	if d.Owner != nil && key == budget.OwnerKey() {
		return *d.Owner
	}
	if d.Rows != nil && key == rowmemory.Key() {
		return d.Rows
	}
	d.mu.Lock()
	c := d.inner
	d.mu.Unlock()
	if c == nil {
		c = d.Parent
	}
	return c.Value(key)
}
