package lab

import (
	"context"
	"time"

	"stoa.dev/stoa/internal/app"
)

// drainTime is how long requests in flight may take before a change of the
// world cuts them.
const drainTime = 2 * time.Second

var errWorldDeleted error = errNotFound("GET /lab/v1/worlds lists those there are", "the world is gone")

// enter waits while the world is being changed, wakes it, and keeps it as it is
// until leave.
func (w *World) enter(ctx context.Context) (_ *app.App, requestCtx context.Context, _ error) {
	for {
		w.mu.Lock()
		switch {
		case w.deleted:
			w.mu.Unlock()
			return nil, nil, errWorldDeleted
		case w.paused:
			changed := w.changed
			w.mu.Unlock()
			select {
			case <-changed:
			case <-ctx.Done():
				return nil, nil, ctx.Err()
			}
		case w.app == nil:
			w.mu.Unlock()
			if err := w.Wake(ctx); err != nil {
				return nil, nil, err
			}
		default:
			w.inFlight++
			w.manifest.State.Touched, w.byJob = true, false
			a, requestCtx := w.app, w.requestCtx
			w.mu.Unlock()
			return a, requestCtx, nil
		}
	}
}

func (w *World) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.inFlight--
	w.used = w.lab.clock.Now()
	if w.inFlight == 0 {
		w.signal()
	}
}

// signal wakes who waits for a change; the caller holds mu.
func (w *World) signal() {
	close(w.changed)
	w.changed = make(chan struct{})
}

// drainAndRun runs f while no request is in flight. Requests that come wait; those that
// are in flight have drainTime. The caller holds op.
func (w *World) drainAndRun(f func() error) error {
	w.mu.Lock()
	w.paused = true
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		w.paused = false
		w.signal()
		w.mu.Unlock()
	}()
	if !w.drained() {
		w.endRequests()
		w.awaitRequests(nil)
	}
	return f()
}

// drained waits for the requests in flight, for drainTime, and reports whether they ended.
func (w *World) drained() bool {
	deadline := w.lab.clock.NewTimer(drainTime)
	defer deadline.Stop()
	return w.awaitRequests(deadline.C)
}

// awaitRequests waits until no request is in flight; false means that the deadline came first.
func (w *World) awaitRequests(deadline <-chan time.Time) bool {
	for {
		w.mu.Lock()
		inFlight, changed := w.inFlight, w.changed
		w.mu.Unlock()
		if inFlight == 0 {
			return true
		}
		select {
		case <-changed:
		case <-deadline:
			return false
		}
	}
}

// endRequests ends the requests that are in flight.
func (w *World) endRequests() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cancelRequests()
	w.requestCtx, w.cancelRequests = context.WithCancel(context.Background())
}
