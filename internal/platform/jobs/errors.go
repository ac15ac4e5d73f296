package jobs

import (
	"errors"
	"time"

	"stoa.dev/stoa/internal/platform/jobs/failure"
	"stoa.dev/stoa/internal/platform/jobs/store"
)

var (
	// ErrUnknownKind is an enqueue of a kind that is not registered in this process.
	ErrUnknownKind = errors.New("jobs: unknown kind")
	// ErrNotFound is a job or schedule that does not exist (any more).
	ErrNotFound = store.ErrNotFound
	// ErrState is an operation that the job's state does not allow.
	ErrState = store.ErrState
	// ErrStopped is the cause of a job's cancelled context when its queue stops.
	ErrStopped = errors.New("jobs: queue is stopping")
	// ErrLeaseLost is the cause of a job's cancelled context when another process
	// took the job over.
	ErrLeaseLost = errors.New("jobs: lease lost")
)

// Permanent marks an error that no retry can cure: the job is dead at once.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return &failure.Permanent{Err: err}
}

// RetryAfter marks an error whose retry is to wait d instead of the back-off.
func RetryAfter(err error, d time.Duration) error {
	if err == nil {
		return nil
	}
	return &failure.Retry{Err: err, After: d}
}

// Postpone says that the job could not begin and is to look again after d. That
// is no attempt and no failure: it is neither counted nor reported.
func Postpone(err error, d time.Duration) error {
	if err == nil {
		return nil
	}
	return &failure.Postponed{Err: err, After: d}
}
