package lab

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"stoa.dev/stoa/internal/app/memlimit"
	"stoa.dev/stoa/internal/platform/audit"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
)

// watchEvery is how often expiry and idleness are looked at.
const watchEvery = time.Second

// watch ends worlds that expire, closes those that are not asked, and opens
// those whose jobs are due.
func (l *Lab) watch(ctx context.Context) {
	defer close(l.ended)
	var freed time.Time
	for clock.Sleep(ctx, l.clock, watchEvery) == nil {
		now := l.clock.Now()
		for _, w := range l.Worlds() {
			err := w.expireSleepOrWake(ctx, now)
			if err != nil && ctx.Err() == nil && !errors.Is(err, errWorldDeleted) {
				l.options.Log.LogAttrs(ctx, slog.LevelError, "world failed",
					slog.String("world", w.Name()), slog.String("error", err.Error()))
			}
		}
		// After the worlds, which have just given back what they keep to be faster.
		if at, quiet := l.lastUse(); quiet && at.After(freed) && now.Sub(at) >= freeAfter {
			memlimit.Release()
			freed = now
		}
	}
}

// freeAfter is how long nothing is asked until memory that worlds do not need goes
// back to the system. What many worlds leave unused when they open is as much as
// they keep.
const freeAfter = 2 * time.Second

// lastUse is when a world was used last; not quiet means that one is now.
func (l *Lab) lastUse() (at time.Time, quiet bool) {
	for _, w := range l.Worlds() {
		w.mu.Lock()
		inFlight, used := w.inFlight, w.used
		w.mu.Unlock()
		if inFlight > 0 {
			return at, false
		}
		if used.After(at) {
			at = used
		}
	}
	return at, true
}

func (w *World) expireSleepOrWake(ctx context.Context, now time.Time) error {
	w.mu.Lock()
	deleted := w.deleted
	expires, awake, inFlight, used, due := w.manifest.Expires, w.app != nil, w.inFlight, w.used, w.manifest.Due
	woken := !due.IsZero() && !now.Before(w.wakeAfter)
	idle := w.lab.options.Idle
	if w.byJob {
		idle = min(idle, freeAfter)
	}
	release := awake && inFlight == 0 && used.After(w.released) && now.Sub(used) >= freeAfter
	if release {
		w.released = now
	}
	w.mu.Unlock()
	switch {
	case deleted:
		return nil // while the others were looked at
	case !expires.IsZero() && !now.Before(expires):
		ended, err := w.lab.deleteWorld(w)
		if ended && err == nil {
			w.lab.Record(ctx, audit.Entry{Action: "worlds.delete", Object: w.Name(), Detail: "expired"})
		}
		return err
	case awake && inFlight == 0 && now.Sub(used) >= idle && w.quiet(ctx):
		return w.Sleep()
	case !awake && woken && !w.Clock().Now().Before(due):
		err := w.wakeForJob(ctx)
		if err != nil {
			w.postponeWake()
		}
		return err
	case release:
		return w.releaseMemory(ctx)
	}
	return nil
}

// releaseMemory gives back what the connections of a world that is not asked keep to be
// faster: a third of what the world needs.
func (w *World) releaseMemory(ctx context.Context) error {
	w.mu.Lock()
	a := w.app
	w.mu.Unlock()
	if a == nil {
		return nil
	}
	if err := a.World().DB.ReleaseMemory(ctx); !errors.Is(err, database.ErrClosed) {
		return err
	}
	return nil // it fell asleep meanwhile
}

// quiet reports whether no job of the world runs or is due soon, and no program holds
// its socket: a call there is no request that wakes the world.
func (w *World) quiet(ctx context.Context) bool {
	w.mu.Lock()
	a, called := w.app, w.called
	w.mu.Unlock()
	if a == nil || called {
		return false
	}
	if busy, err := a.Busy(ctx); busy || err != nil || a.World().Jobs.Stats().Running > 0 {
		return false
	}
	due, ok, err := a.World().Jobs.NextDue(ctx)
	if err != nil || !ok {
		return err == nil
	}
	return w.Clock().Until(due) > w.lab.options.Idle
}
