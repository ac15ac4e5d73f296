package snapshots

import (
	"errors"

	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/snapshots/definition"
	"stoa.dev/stoa/internal/service/snapshots/failures"
	"stoa.dev/stoa/internal/service/snapshots/metrics"
	"stoa.dev/stoa/internal/service/snapshots/refusal"
)

// Error is why the service refuses a request.
type Error = refusal.Error

func errInvalid(format string, args ...any) *Error { return refusal.Invalid(format, args...) }

func errCause(where string, err error) *Error { return refusal.Cause(where, err) }

func errNotFound(what string) *Error { return refusal.Missing(what) }

// errDefinition is errCause for a refusal of a graph definition; what else failed
// stays what it is.
func errDefinition(err error) error {
	var bad *definition.Error
	if errors.As(err, &bad) {
		return refusal.Wrap(refusal.BadRequest, bad.Message, err)
	}
	return err
}

// errDecode is errCause for a submission that a decoder refuses. What the
// process or the reader says stays what it is.
func errDecode(where string, err error) error {
	var bound *metrics.BoundError
	var busy *limit.Exceeded
	switch {
	case errors.As(err, &bound):
		return refusal.Wrap(refusal.TooLarge, "Payload too large: "+where+": "+bound.Error(), err)
	case errors.As(err, &busy), errors.Is(err, wire.ErrTooLarge):
		return err
	default:
		return errCause(where, err)
	}
}

func errNeedsApplicationKey(header string) *Error {
	return refusal.Wrap(refusal.Forbidden,
		"Forbidden: this call needs an application key beside the API key; send it in the header "+header, nil)
}

func errFailed(reason string) *Error {
	return refusal.Wrap(refusal.Failed, "the snapshot could not be drawn: "+reason, nil)
}

// faultErrors are the service's errors and budgets, for the catalogue of faults.
func faultErrors() failures.Service {
	return failures.Service{
		Refuse: func(status int, message string) error {
			for _, c := range []refusal.Code{refusal.Forbidden, refusal.NotFound, refusal.TooLarge, refusal.Failed} {
				if statusOfCode(c) == status {
					return refusal.Wrap(c, message, nil)
				}
			}
			return refusal.Wrap(refusal.BadRequest, message, nil)
		},
		Requests: requestsLimit, Points: pointsLimit, Renders: renderKind,
	}
}
