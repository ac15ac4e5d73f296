package deliver

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/deliver/receiver"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/platform/seal"
)

// pauses between attempts: ten attempts in about 24 hours.
func pauses() []time.Duration {
	return []time.Duration{
		5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute,
		2 * time.Hour, 4 * time.Hour, 7 * time.Hour, 10 * time.Hour,
	}
}

// MaxAttempts is how often a message is sent at most.
const MaxAttempts = 10

// outcome is what an answer means.
type outcome int

const (
	acknowledged outcome = iota
	temporaryFailure
	permanentFailure
)

// classifyAnswer reads the contract's lists: five statuses acknowledge, four ask for another try, as does a connection
// that gave no answer. Everything else is a permanent failure.
func classifyAnswer(status int, err error) outcome {
	switch {
	case errors.Is(err, ErrConnection):
		return temporaryFailure
	case err != nil:
		return permanentFailure
	}
	switch status {
	case http.StatusOK, http.StatusCreated, http.StatusAccepted, http.StatusNoContent, http.StatusProcessing:
		return acknowledged
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return temporaryFailure
	}
	return permanentFailure
}

// send is one run of a message's job.
func (e *Engine) send(ctx context.Context, job jobs.Job, p sendPayload) error {
	d, sealed, err := outgoing(ctx, e.db, p.ID)
	if errors.Is(err, ErrNotFound) {
		return nil // Cleaned up; there is nothing left to send.
	}
	if err != nil {
		return err
	}
	if d.State != Pending {
		return nil // Canceled, or recorded by a process that died before its job was finished.
	}
	if d.late(e.clock.Now()) {
		return e.fail(ctx, d, join(d.LastError, "the deadline passed"))
	}
	s, err := e.unseal(d.ID, sealed)
	if errors.Is(err, seal.ErrOpen) {
		return e.fail(ctx, d, err.Error()) // The same bytes will not open tomorrow.
	}
	if err != nil {
		return err
	}
	leave, pause := e.hosts.Enter(ctx, d.Owner, receiver.Of(d.Address), job.Due.After(job.Asked))
	if leave == nil {
		return jobs.Postpone(errors.New("deliver: the receiver is busy"), pause)
	}
	defer leave()
	return e.attempt(ctx, d, s)
}

// attempt makes the call and records what came of it.
func (e *Engine) attempt(ctx context.Context, d Delivery, s stored) error {
	fault := Fault{}
	if e.fault != nil {
		fault = e.fault(d, Request(s))
	}
	if fault.Delay > 0 {
		return jobs.Postpone(errors.New("deliver: a fault delays the message"), fault.Delay)
	}
	real := clock.Real()
	began, start := e.clock.Now(), real.Now()
	answer, err := e.do(ctx, Request(s), fault)
	d.Duration = real.Now().Sub(start)
	if ctx.Err() != nil && err != nil {
		return context.Cause(ctx) // The queue is stopping: that says nothing about the receiver.
	}
	early := d.Attempts > 0 && d.NextAttempt.After(e.clock.Now())
	d.Status, d.LastError = answer.Status, ""
	switch {
	case err != nil:
		d.LastError = err.Error()
	case classifyAnswer(d.Status, nil) != acknowledged:
		d.LastError = fmt.Sprintf("status %d", d.Status)
	}
	result := classifyAnswer(answer.Status, err)
	if early && result == temporaryFailure {
		return e.keepPlannedRetry(ctx, d)
	}
	d.Attempts++
	switch result {
	case acknowledged:
		e.counts.Delivered.Add(1)
		d.State, d.Finished, d.NextAttempt = Delivered, e.clock.Now(), time.Time{}
		return e.record(ctx, d)
	case temporaryFailure:
		e.counts.Retried.Add(1)
		return e.scheduleRetry(ctx, d, began)
	default:
		e.counts.Failed.Add(1)
		return e.fail(ctx, d, d.LastError)
	}
}

// do makes the call, as often as a fault says.
func (e *Engine) do(ctx context.Context, r Request, f Fault) (Response, error) {
	if f.Drop {
		return Response{}, fmt.Errorf("%w: a fault dropped the message", ErrConnection)
	}
	answer, err := e.client.Do(ctx, r)
	for range f.Copies - 1 {
		// The last answer counts, as it would for a sender that did not see the first.
		if again, failed := e.client.Do(ctx, r); failed == nil {
			answer, err = again, nil
		}
	}
	return answer, err
}

// scheduleRetry plans the next attempt after one that began at a time, or gives up.
func (e *Engine) scheduleRetry(ctx context.Context, d Delivery, began time.Time) error {
	if d.Attempts >= MaxAttempts {
		return e.fail(ctx, d, d.LastError)
	}
	jitter := e.ids.Jitter(d.ID + " " + strconv.Itoa(d.Attempts))
	pause := time.Duration(float64(pauses()[d.Attempts-1]) * (0.8 + 0.4*jitter))
	if d.NextAttempt = e.clock.Now().Add(pause); d.late(d.NextAttempt) {
		return e.fail(ctx, d, join(d.LastError, "the deadline comes before the next attempt"))
	}
	if err := e.record(ctx, d); err != nil {
		return err
	}
	if newer, err := hasNewer(ctx, e.db, d, began); err != nil {
		return err
	} else if newer {
		pause = min(pause, earlyPause)
	}
	return jobs.RetryAfter(errors.New(d.LastError), pause)
}

func (e *Engine) fail(ctx context.Context, d Delivery, why string) error {
	d.State, d.Finished, d.NextAttempt, d.LastError = Failed, e.clock.Now(), time.Time{}, why
	return e.record(ctx, d)
}

// record writes the outcome. It is written even when the job's context has ended: the call was made.
func (e *Engine) record(ctx context.Context, d Delivery) error {
	ctx = context.WithoutCancel(ctx)
	return e.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		ended, err := updateDelivery(ctx, tx, d)
		if err != nil || !ended {
			return err
		}
		if err := e.parts.leave(ctx, tx, d); err != nil || d.State != Delivered {
			return err
		}
		return e.hastenHost(ctx, tx, d)
	})
}

func (d Delivery) late(at time.Time) bool { return !d.Deadline.IsZero() && at.After(d.Deadline) }

func join(first, second string) string {
	if first == "" {
		return second
	}
	return first + "; " + second
}
