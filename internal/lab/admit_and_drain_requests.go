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
func (w *World) enter(ctx context.Context) (_ *app.App, life context.Context, _ error) {
	for {
		w.mu.Lock()
		switch {
		case w.deleted:
			w.mu.Unlock()
			return nil, nil, errWorldDeleted
		case w.closed:
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
			w.inside++
			w.manifest.State.Touched = true
			a, life := w.app, w.life
			w.mu.Unlock()
			return a, life, nil
		}
	}
}

func (w *World) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.inside--
	w.used = w.lab.clock.Now()
	if w.inside == 0 {
		w.signal()
	}
}

// signal wakes who waits for a change; the caller holds mu.
func (w *World) signal() {
	close(w.changed)
	w.changed = make(chan struct{})
}

// alone runs f while no request is inside. Requests that come wait; those that
// are inside have drainTime. The caller holds op.
func (w *World) alone(f func() error) error {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		w.closed = false
		w.signal()
		w.mu.Unlock()
	}()
	deadline := w.lab.clock.NewTimer(drainTime)
	defer deadline.Stop()
	for {
		w.mu.Lock()
		inside, changed := w.inside, w.changed
		w.mu.Unlock()
		if inside == 0 {
			return f()
		}
		select {
		case <-changed:
		case <-deadline.C:
			w.cutOff()
		}
	}
}

// cutOff ends the requests that are inside.
func (w *World) cutOff() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut()
	w.life, w.cut = context.WithCancel(context.Background())
}
