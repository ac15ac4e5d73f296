package lab

import (
	"context"
	"errors"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/jobs"
)

// ClockChange is what is asked of a clock; what is nil or empty stays.
type ClockChange struct {
	Mode clock.Mode
	Now  *time.Time
	Rate *float64
}

// maxRate is as fast as a clock runs: at clock.Last, where it stands still, after days.
const maxRate = 1e6

func (c ClockChange) check() error {
	switch c.Mode {
	case "", clock.ModeFrozen, clock.ModeRunning:
	case clock.ModeReal:
		if c.Now != nil || c.Rate != nil {
			return errInvalid("use mode running", "a real clock has no time and no rate of its own")
		}
	default:
		return errInvalid("use real, frozen or running", "%q is not a mode", c.Mode)
	}
	if c.Rate != nil && (c.Mode == clock.ModeFrozen || !validRate(*c.Rate)) {
		return errInvalid("use mode running and a rate above 0 up to 1000000", "the rate does not fit")
	}
	if c.Now != nil {
		return checkTime(*c.Now)
	}
	return nil
}

func validRate(rate float64) bool { return rate > 0 && rate <= maxRate }

// checkTime refuses where no clock can stand.
func checkTime(t time.Time) error {
	if t.Before(time.Unix(0, 0)) || t.After(clock.Last()) {
		return errInvalid("use a year from 1970 to 9000", "the time %s is out of range", t.Format(time.RFC3339))
	}
	return nil
}

// apply is the state after the change.
func (c ClockChange) apply(s state, machine time.Time) state {
	if c.Now != nil {
		s.Now = c.Now.UTC().Round(0)
		if c.Mode == "" {
			c.Mode = s.Mode
		}
		if c.Mode == clock.ModeReal {
			c.Mode = clock.ModeFrozen // a time of its own stands still unless told
			if c.Rate != nil {
				c.Mode = clock.ModeRunning
			}
		}
	}
	if c.Rate != nil && c.Mode == "" {
		c.Mode = clock.ModeRunning
	}
	if c.Mode != "" {
		s.Mode = c.Mode
	}
	switch {
	case s.Mode != clock.ModeRunning:
		s.Rate = 0
	case c.Rate != nil:
		s.Rate = *c.Rate
	case s.Rate == 0:
		s.Rate = 1
	}
	s.Since = machine
	return s
}

// SetClock changes how the clock moves and where it stands. It goes back only
// before the first request or move: what a world did cannot be undone.
func (w *World) SetClock(ctx context.Context, c ClockChange) error {
	if err := c.check(); err != nil {
		return err
	}
	w.op.Lock()
	defer w.op.Unlock()
	if err := w.wake(ctx); err != nil {
		return err
	}
	w.mu.Lock()
	touched, life := w.manifest.State.Touched, w.manifest.State.Life
	w.mu.Unlock()
	now := w.state(touched, life)
	next := c.apply(now, w.lab.clock.Now())
	at := next.Now
	if next.Mode == clock.ModeReal {
		at = w.lab.clock.Now()
	}
	if touched && at.Before(now.Now) && !(next.Mode == clock.ModeReal && now.Mode == clock.ModeReal) {
		return errConflict("reset the world, or make another with the clock you need",
			"the clock of %s stands at %s and was used: it does not go back to %s",
			w.Name(), now.Now.Format(time.RFC3339), at.Format(time.RFC3339))
	}
	moved := !next.Now.Equal(now.Now)
	w.setClock(next)
	return w.keepState(touched || moved)
}

// keepState writes where the world stands.
func (w *World) keepState(touched bool) error {
	w.mu.Lock()
	w.manifest.State = w.state(touched, w.manifest.State.Life)
	m := w.manifest
	w.mu.Unlock()
	return writeManifest(w.dir(), m)
}

// Bounds of one advance or settle.
const (
	maxRan      = 100_000
	maxRanShown = 1000
	advanceTime = 60 * time.Second
)

// AdvanceResult is what an advance did.
type AdvanceResult struct {
	From, To time.Time
	// Ran are the first of the jobs that ran; Count is how many there were.
	Ran   []jobs.Ran
	Count int
	// Left is how many are still due, when a bound was met.
	Left int
}

// Advance moves the clock to a time, stopping at every due time on the way and
// running what is due there.
func (w *World) Advance(ctx context.Context, to time.Time) (AdvanceResult, error) {
	return w.move(ctx, func(now time.Time) (time.Time, error) {
		if to.Before(now) {
			return to, errConflict("advance goes forward only", "the clock stands at %s already", now.Format(time.RFC3339))
		}
		return to, nil
	})
}

// AdvanceBy moves the clock by a duration.
func (w *World) AdvanceBy(ctx context.Context, by time.Duration) (AdvanceResult, error) {
	if by < 0 {
		return AdvanceResult{}, errInvalid("advance goes forward only", "%s is negative", by)
	}
	return w.move(ctx, func(now time.Time) (time.Time, error) { return now.Add(by), nil })
}

// Settle runs what is due now and waits for it.
func (w *World) Settle(ctx context.Context) (AdvanceResult, error) {
	return w.move(ctx, func(now time.Time) (time.Time, error) { return now, nil })
}

func (w *World) move(ctx context.Context, target func(now time.Time) (time.Time, error)) (m AdvanceResult, err error) {
	w.op.Lock()
	defer w.op.Unlock()
	if err := w.wake(ctx); err != nil {
		return m, err
	}
	w.mu.Lock()
	queue := w.app.World().Jobs
	w.mu.Unlock()
	mode, rate := w.Clock().Mode()
	m.From = w.Clock().Now()
	if m.To, err = target(m.From); err == nil && m.To.After(m.From) {
		err = checkTime(m.To)
	}
	if err != nil {
		return m, err
	}
	w.Clock().Freeze() // while it walks from due time to due time
	err = w.walk(ctx, queue, &m)
	switch {
	case mode == clock.ModeReal && m.To.Equal(m.From):
		w.Clock().RunReal()
	case mode != clock.ModeFrozen:
		w.Clock().Run(rate)
	}
	return m, errors.Join(err, w.keepState(true))
}

// walk moves the frozen clock and records what runs.
func (w *World) walk(ctx context.Context, queue *jobs.Queue, m *AdvanceResult) (err error) {
	ctx, cancel := context.WithTimeout(ctx, advanceTime)
	defer cancel()
	var mu sync.Mutex
	unwatch := queue.Watch(func(r jobs.Ran) {
		mu.Lock()
		defer mu.Unlock()
		if m.Count++; len(m.Ran) < maxRanShown {
			m.Ran = append(m.Ran, r)
		}
		if m.Count >= maxRan {
			cancel()
		}
	})
	err = queue.AdvanceJobsTo(ctx, w.Clock(), m.To)
	unwatch()
	if ctx.Err() != nil {
		m.To = w.Clock().Now()
		m.Left, err = queue.CountDue(context.WithoutCancel(ctx))
	}
	return err
}
