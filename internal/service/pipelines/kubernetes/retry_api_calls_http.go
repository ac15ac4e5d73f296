package kubernetes

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/outbound"
)

const (
	// patience is how long a call is repeated while the API server is away: it may be
	// upgraded, or elect another leader.
	patience = 2 * time.Minute
	// firstPause and longestPause bound the time between two attempts, which doubles.
	firstPause, longestPause = 250 * time.Millisecond, 10 * time.Second
)

// persist makes a call, and again while the API server is away for a while. What it does must
// be safe to do twice: an attempt whose answer was lost may have had its effect.
func (a *api) persist(ctx context.Context, attempt func(again bool) error) error {
	end := a.clock.Now().Add(patience)
	pause := firstPause
	for again := false; ; again = true {
		err := attempt(again)
		if err == nil || !isPassing(err) || ctx.Err() != nil {
			return err
		}
		wait := max(pause, askedPause(err))
		if a.clock.Now().Add(wait).After(end) {
			return fmt.Errorf("kubernetes: no better answer in %s: %w", patience, err)
		}
		if clock.Sleep(ctx, a.clock, wait) != nil {
			return errors.Join(context.Cause(ctx), err)
		}
		pause = min(2*pause, longestPause)
	}
}

// isPassing reports whether a call may succeed later as it is: the server could not be reached,
// or answers that it is overloaded or not ready.
func isPassing(err error) bool {
	var answer *answerError
	if errors.As(err, &answer) {
		return slices.Contains([]int{
			http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
			http.StatusServiceUnavailable, http.StatusGatewayTimeout,
		}, answer.code)
	}
	var lost *connectionError
	var authority *tls.CertificateVerificationError
	return errors.As(err, &lost) && !errors.As(err, &authority) && !errors.Is(err, outbound.ErrOffline)
}

// askedPause is how long the API server asks to wait.
func askedPause(err error) time.Duration {
	var answer *answerError
	if errors.As(err, &answer) {
		return min(answer.after, longestPause)
	}
	return 0
}

// connectionError is a call that got no answer.
type connectionError struct{ cause error }

// Error implements error.
func (e *connectionError) Error() string { return "kubernetes: " + e.cause.Error() }

// Unwrap gives the cause.
func (e *connectionError) Unwrap() error { return e.cause }
