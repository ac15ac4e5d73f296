package jobs

import (
	"errors"
	"time"

	"stoa.dev/stoa/internal/platform/jobs/store"
)

// ErrUnknownKind is an enqueue of a kind that is not registered in this process.
var ErrUnknownKind = errors.New("jobs: unknown kind")

var (
	// ErrNotFound is a job or schedule that does not exist (any more).
	ErrNotFound = store.ErrNotFound
	// ErrState is an operation that the job's state does not allow.
	ErrState = store.ErrState
)

// ErrStopped is the cause of a job's cancelled context when its queue stops.
var ErrStopped = errors.New("jobs: queue is stopping")

// ErrLeaseLost is the cause of a job's cancelled context when another process
// took the job over.
var ErrLeaseLost = errors.New("jobs: lease lost")

// Permanent marks an error that no retry can cure: the job is dead at once.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return &permanentError{err}
}

// RetryAfter marks an error whose retry is to wait d instead of the back-off.
func RetryAfter(err error, d time.Duration) error {
	if err == nil {
		return nil
	}
	return &retryError{err, d}
}

// Postpone says that the job could not begin and is to look again after d. That
// is no attempt and no failure: it is neither counted nor reported.
func Postpone(err error, d time.Duration) error {
	if err == nil {
		return nil
	}
	return &postponedError{err, d}
}

type permanentError struct{ err error }

func (e *permanentError) Error() string { return e.err.Error() }
func (e *permanentError) Unwrap() error { return e.err }

type postponedError struct {
	err   error
	after time.Duration
}

func (e *postponedError) Error() string { return e.err.Error() }
func (e *postponedError) Unwrap() error { return e.err }

type retryError struct {
	err   error
	after time.Duration
}

func (e *retryError) Error() string { return e.err.Error() }
func (e *retryError) Unwrap() error { return e.err }
