package failure

import "time"

// Permanent is an error that no retry can cure.
type Permanent struct{ Err error }

func (e *Permanent) Error() string { return e.Err.Error() }
func (e *Permanent) Unwrap() error { return e.Err }

// Postponed is a job that could not begin and looks again later.
type Postponed struct {
	Err   error
	After time.Duration
}

func (e *Postponed) Error() string { return e.Err.Error() }
func (e *Postponed) Unwrap() error { return e.Err }

// Retry is an error whose retry waits for a time of its own.
type Retry struct {
	Err   error
	After time.Duration
}

func (e *Retry) Error() string { return e.Err.Error() }
func (e *Retry) Unwrap() error { return e.Err }
