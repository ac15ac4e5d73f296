package sharedwork

import (
	"context"
	"errors"
	"time"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/flight"
)

// RefusedError is the refusal of work to the caller who would have started it.
type RefusedError struct{ Err error }

func (e *RefusedError) Error() string { return e.Err.Error() }
func (e *RefusedError) Unwrap() error { return e.Err }

// Share runs work once for all callers that ask for it. What is refused to the
// caller who starts it is not refused to those who joined: they try themselves.
func Share[V any](ctx context.Context, g *flight.Group[V], key string, work flight.Work[V]) (V, error) {
	for {
		own := false
		value, err := g.Do(ctx, key, func(ctx context.Context) (V, error) {
			own = true
			return work(ctx)
		})
		var refused *RefusedError
		if !errors.As(err, &refused) {
			return value, err
		}
		if own {
			return value, refused.Err
		}
	}
}

// Bounded is work with a time limit, in one of the owner's places: callers that
// leave at once must not pile work up.
func Bounded[V any](
	places *budget.Pool, owner budget.Owner, limit time.Duration, work flight.Work[V],
) flight.Work[V] {
	return func(ctx context.Context) (value V, err error) {
		place, err := places.Take(ctx, owner, 1)
		if err != nil {
			return value, &RefusedError{Err: err}
		}
		defer place.Release()
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		return work(ctx)
	}
}
