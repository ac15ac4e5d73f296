package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"
)

// attempt runs a job once and decides what becomes of it. It does not write.
func (q *Queue) attempt(ctx context.Context, c *claim) outcome {
	k, err := q.kind(c.Kind)
	if err != nil {
		return outcome{claim: c, verdict: released} // only registered kinds are claimed
	}
	run, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	q.mu.Lock()
	c.cancel = cancel
	lost := c.lost
	q.mu.Unlock()
	if lost {
		return outcome{claim: c, verdict: released} // which changes nothing
	}
	timed, cancelTimeout := context.WithTimeout(run, k.timeout)
	defer cancelTimeout()

	err = q.call(timed, c, k)
	var later *postponedError
	switch {
	case err == nil:
		q.done.Add(1)
		return outcome{claim: c, verdict: done}
	case ctx.Err() != nil:
		// Interrupted from outside: that is not the job's failure.
		return outcome{claim: c, verdict: released}
	case errors.As(err, &later):
		return outcome{claim: c, verdict: postponed, retryAt: q.clock.Now().Add(max(later.after, 0))}
	case errors.Is(timed.Err(), context.DeadlineExceeded) && run.Err() == nil:
		err = fmt.Errorf("timed out after %s: %w", k.timeout, err)
	}
	return q.failureOutcome(c, k, err)
}

// call survives a panic of the run function. It has a goroutine of its own, so
// that a run function that ends its goroutine does not end a worker.
func (q *Queue) call(ctx context.Context, c *claim, k *Registration) error {
	result := make(chan error, 1)
	go func() {
		err := errors.New("the run function ended its goroutine")
		defer func() {
			if v := recover(); v != nil {
				q.log.LogAttrs(ctx, slog.LevelError, "job panicked", slog.String("kind", c.Kind), slog.String("id", c.ID),
					slog.Any("panic", v), slog.String("stack", string(debug.Stack())))
				err = fmt.Errorf("panic: %v", v)
			}
			result <- err
		}()
		err = k.run(ctx, c.Job, c.payload)
	}()
	return <-result
}

// judge turns a failure into a retry or a death.
func (q *Queue) failureOutcome(c *claim, k *Registration, err error) outcome {
	o := outcome{claim: c, verdict: retry, message: err.Error()}
	var permanent *permanentError
	if c.Attempt >= c.MaxAttempts || errors.As(err, &permanent) {
		o.verdict = dead
		q.dead.Add(1)
		q.logFailure(slog.LevelError, "job is dead", c, err)
		return o
	}
	wait := backoff(c.Attempt, q.ids)
	var retry *retryError
	if errors.As(err, &retry) {
		wait = max(retry.after, 0)
	}
	o.retryAt = q.clock.Now().Add(wait)
	q.failed.Add(1)
	q.logFailure(slog.LevelWarn, "job failed", c, err, slog.Duration("retry_in", wait.Round(time.Millisecond)))
	return o
}

// report is where a job's error ends: nobody else sees it but the table.
func (q *Queue) logFailure(level slog.Level, text string, c *claim, err error, more ...slog.Attr) {
	attrs := append([]slog.Attr{
		slog.String("kind", c.Kind), slog.String("id", c.ID), slog.Int("attempt", c.Attempt), slog.String("error", err.Error()),
	}, more...)
	q.log.LogAttrs(context.Background(), level, text, attrs...)
}
