package registry

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"
)

// What can go wrong with a fetch besides the network itself.
var (
	// ErrNotFound means that the registry says it has no such thing.
	ErrNotFound = errors.New("registry: not found")
	// ErrNotModified means that the caller's copy is still the current one.
	ErrNotModified = errors.New("registry: not modified")
	// ErrTooLarge means that the body is larger than the caller accepts.
	ErrTooLarge = errors.New("registry: the answer is too large")
	// ErrResting means that the host failed lately and is not asked now.
	ErrResting = errors.New("registry: the host did not answer lately and is left alone for a while")
)

// StatusError is an answer that is neither success nor "not found".
type StatusError struct {
	Status int
	Host   string
	// RetryAfter is the pause the host asked for, zero when it did not.
	RetryAfter time.Duration
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("registry: %s answered %d", e.Host, e.Status)
}

// temporary reports whether asking again may help.
func (e *StatusError) temporary() bool {
	switch e.Status {
	case 429, 500, 502, 503, 504:
		return true
	}
	return false
}

// Temporary reports whether a fetch that failed so may go well another time: the
// host did not answer, was busy, or is left alone for a while.
func Temporary(err error) bool {
	var status *StatusError
	var network *NetworkError
	switch {
	case errors.As(err, &status):
		return status.temporary()
	case errors.As(err, &network), errors.Is(err, ErrResting), errors.Is(err, context.DeadlineExceeded),
		errors.Is(err, context.Canceled):
		return true
	}
	return false
}

// NetworkError is a failure to get any answer. It names the host only, since
// the full URL may hold what the user asked for.
type NetworkError struct {
	Host  string
	cause error
}

func (e *NetworkError) Error() string {
	cause := e.cause
	var wrapped *url.Error
	if errors.As(cause, &wrapped) {
		cause = wrapped.Err
	}
	return fmt.Sprintf("registry: %s does not answer: %v", e.Host, cause)
}

func (e *NetworkError) Unwrap() error { return e.cause }
