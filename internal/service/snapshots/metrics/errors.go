package metrics

import (
	"errors"
	"fmt"
)

// ErrClosed is returned after Close.
var ErrClosed = errors.New("the metrics store is closed")

// ErrUnavailable means that the store behind an address does not answer, or cannot now: try again later.
var ErrUnavailable = errors.New("the metrics backend is not available")

// ActiveError means that an organization has as many active series as it may.
type ActiveError struct{ Max int }

// Error names the bound.
func (e *ActiveError) Error() string {
	return fmt.Sprintf("there are already %d active series; one that gets no points for some hours is no longer active",
		e.Max)
}

// BoundError means that a submission holds more than one may.
type BoundError struct {
	What string
	Max  int
}

// Error names the bound.
func (e *BoundError) Error() string {
	return fmt.Sprintf("a submission holds at most %d %s; send less at once", e.Max, e.What)
}

// RevisionError means that a point was replaced as often as it can be.
type RevisionError struct{ Metric string }

// Error names the bound.
func (e *RevisionError) Error() string {
	return fmt.Sprintf("a point of %s was replaced %d times by another value; it keeps the last one", e.Metric,
		maxRevision)
}
