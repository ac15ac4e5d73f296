package provider

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"stoa.dev/stoa/internal/platform/flight"
)

// loginTime bounds one login, however long callers would wait.
const loginTime = 10 * time.Second

// Login gives the bearer tokens of a vendor's library, which caches and renews
// them. Callers share a login and wait for it as long as their contexts last:
// libraries hold locks meanwhile.
type Login struct {
	remote string
	token  TokenFunc
	shared *flight.Group[string]
	// forceRefresh is set when the last token or the last login was refused.
	forceRefresh atomic.Bool
}

// TokenFunc asks the library for a token. forceRefresh means that the last one was
// refused: credentials are read anew and no cached token is used. Calls do not
// overlap.
type TokenFunc func(ctx context.Context, forceRefresh bool) (string, error)

// NewLogin prepares a Login, which must be closed; it calls nothing.
func NewLogin(remote string, token TokenFunc) *Login {
	return &Login{remote: remote, token: token, shared: flight.New[string]()}
}

// Token is a token that is valid for some minutes.
func (l *Login) Token(ctx context.Context) (string, error) {
	token, err := l.shared.Do(ctx, "token", func(ctx context.Context) (string, error) {
		ctx, cancel := context.WithTimeout(ctx, loginTime)
		defer cancel()
		token, err := l.token(ctx, l.forceRefresh.Swap(false))
		if err != nil {
			l.forceRefresh.Store(true)
		}
		return token, err
	})
	var own *Error
	switch {
	case err == nil, errors.As(err, &own):
		return token, err
	case ctx.Err() != nil:
		return "", NewError(Unavailable, ctx.Err(), "%s: the login did not answer in time", l.remote)
	}
	return "", NewError(Unauthenticated, err, "%s: no credentials, or they were refused", l.remote)
}

// Refused is called when the remote does not accept a token; the next one comes
// from another login.
func (l *Login) Refused() { l.forceRefresh.Store(true) }

// Close ends a login that is under way.
func (l *Login) Close() { l.shared.Close() }
