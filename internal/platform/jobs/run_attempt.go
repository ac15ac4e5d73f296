package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"stoa.dev/stoa/internal/platform/jobs/backoff"
	"stoa.dev/stoa/internal/platform/jobs/failure"
	"stoa.dev/stoa/internal/platform/jobs/runner"
	"stoa.dev/stoa/internal/platform/jobs/store"
)

// attempt runs a job once and decides what becomes of it. It does not write.
func (q *Queue) attempt(ctx context.Context, c *store.Claim, beat *leaseBeat) store.Outcome {
	return q.watched(q.attemptOnce(ctx, c, beat))
}

func (q *Queue) attemptOnce(ctx context.Context, c *store.Claim, beat *leaseBeat) store.Outcome {
	k, err := q.kind(c.Kind)
	if err != nil {
		return store.Outcome{Claim: c, Verdict: store.VerdictReleased} // only registered kinds are claimed
	}
	run, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if !q.beginJob(c, cancel) {
		return store.Outcome{Claim: c, Verdict: store.VerdictReleased} // which changes nothing
	}
	timed, cancelTimeout := context.WithTimeout(run, k.timeout)
	defer cancelTimeout()

	if q.opts.Fault != nil {
		err = q.opts.Fault(c.Job, c.Payload)
	}
	if err == nil {
		err = q.call(timed, c, k, beat)
	}
	var later *failure.Postponed
	switch {
	case err == nil:
		q.done.Add(1)
		return store.Outcome{Claim: c, Verdict: store.VerdictDone}
	case ctx.Err() != nil:
		// Interrupted from outside: that is not the job's failure.
		return store.Outcome{Claim: c, Verdict: store.VerdictReleased}
	case errors.As(err, &later):
		return store.Outcome{Claim: c, Verdict: store.VerdictPostponed, RetryAt: q.clock.Now().Add(max(later.After, 0))}
	case errors.Is(timed.Err(), context.DeadlineExceeded) && run.Err() == nil:
		err = fmt.Errorf("timed out after %s: %w", k.timeout, err)
	}
	return q.failureOutcome(ctx, c, err)
}

// call survives a panic of the run function, which has a goroutine of its own: one that
// ends its goroutine does not end a worker.
func (q *Queue) call(ctx context.Context, c *store.Claim, k *Registration, beat *leaseBeat) error {
	run := func() error { return k.run(ctx, c.Job, c.Payload) }
	if beat == nil {
		return q.logPanic(ctx, c, <-runner.Start(run))
	}
	result := beat.Start(run)
	for {
		select {
		case err := <-result:
			return q.logPanic(ctx, c, err)
		case <-beat.due.C:
			q.extendLeases(context.WithoutCancel(ctx))
			beat.due = q.newLeaseTimer(q.clock.Now())
		}
	}
}

func (q *Queue) logPanic(ctx context.Context, c *store.Claim, err error) error {
	if p, ok := err.(*runner.Panic); ok {
		q.log.LogAttrs(ctx, slog.LevelError, "job panicked", slog.String("kind", c.Kind), slog.String("id", c.ID),
			slog.Any("panic", p.Value), slog.String("stack", p.Stack))
	}
	return err
}

// failureOutcome turns a failure into a retry, or into the end of the job.
func (q *Queue) failureOutcome(ctx context.Context, c *store.Claim, err error) store.Outcome {
	o := store.Outcome{Claim: c, Verdict: store.VerdictRetry, Message: err.Error()}
	var permanent *failure.Permanent
	if c.Attempt >= c.MaxAttempts || errors.As(err, &permanent) {
		o.Verdict = store.VerdictDead
		q.dead.Add(1)
		q.logFailure(ctx, slog.LevelError, "job dead", c, err)
		return o
	}
	wait := backoff.Wait(c.ID, c.Attempt, q.ids)
	var retry *failure.Retry
	if errors.As(err, &retry) {
		wait = max(retry.After, 0)
	}
	o.RetryAt = q.clock.Now().Add(wait)
	q.failed.Add(1)
	q.logFailure(ctx, slog.LevelWarn, "job failed", c, err, slog.Duration("retry_in", wait.Round(time.Millisecond)))
	return o
}

// logFailure is where a job's error ends: only the table has it besides.
func (q *Queue) logFailure(ctx context.Context, level slog.Level, text string, c *store.Claim, err error,
	more ...slog.Attr) {
	attrs := append([]slog.Attr{
		slog.String("kind", c.Kind), slog.String("id", c.ID), slog.Int("attempt", c.Attempt),
		slog.String("error", err.Error()),
	}, more...)
	q.log.LogAttrs(ctx, level, text, attrs...)
}

// logPoison counts and logs a job that is dead without another run.
func (q *Queue) logPoison(ctx context.Context, o store.Outcome) {
	q.dead.Add(1)
	q.log.LogAttrs(ctx, slog.LevelError, "job dead", slog.String("kind", o.Kind), slog.String("id", o.ID),
		slog.Int("deaths", o.Deaths), slog.String("error", o.Message))
}
