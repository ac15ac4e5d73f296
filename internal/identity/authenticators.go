package identity

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/credential"
	"stoa.dev/stoa/internal/platform/route/refusedcaller"
)

// Authenticate is the function route.Options.Authenticate wants.
type Authenticate = func(ctx context.Context, c credential.Credential) (route.Caller, error)

// Authenticator accepts the kinds of credentials of a service; no kinds means
// TokenKinds. The route table asks for the scopes.
func (i *Identity) Authenticator(service string, kinds ...Kind) Authenticate {
	if len(kinds) == 0 {
		kinds = TokenKinds()
	}
	return i.AuthenticatorOf(Requirement{Service: service, Kinds: kinds})
}

// AuthenticatorOf accepts what meets one of the requirements.
func (i *Identity) AuthenticatorOf(anyOf ...Requirement) Authenticate {
	return func(ctx context.Context, c credential.Credential) (route.Caller, error) {
		return asRouteCaller(i.Verify(ctx, c.Value, anyOf...))
	}
}

// ScopedAuthenticator is Authenticator for a service whose contract tells a credential
// that is not good from one that lacks permission: a token of another service lacks
// the scopes of this one.
func (i *Identity) ScopedAuthenticator(service string, scopes ...string) Authenticate {
	requirement := Requirement{Service: service, Kinds: TokenKinds()}
	return func(ctx context.Context, c credential.Credential) (route.Caller, error) {
		caller, err := i.Verify(ctx, c.Value, requirement)
		if errors.Is(err, ErrService) {
			return nil, refusedcaller.Reword(err, &route.ScopeError{Needed: scopes})
		}
		return asRouteCaller(caller, err)
	}
}

// PairAuthenticator accepts an API key with or without an application key.
func (i *Identity) PairAuthenticator(service string) Authenticate {
	return func(ctx context.Context, c credential.Credential) (route.Caller, error) {
		return asRouteCaller(i.resolvePair(ctx, service, c.Value, c.Second))
	}
}

// ClientAuthenticator accepts a client's id and secret.
func (i *Identity) ClientAuthenticator() Authenticate {
	return func(ctx context.Context, c credential.Credential) (route.Caller, error) {
		return asRouteCaller(i.resolveClient(ctx, c.Value, c.Second))
	}
}

// asRouteCaller says in route's words what is wrong with a credential; other errors
// pass, because a failing database is not the caller's fault.
func asRouteCaller(c *Caller, err error) (route.Caller, error) {
	if err == nil {
		return c, nil
	}
	return nil, CredentialError(err)
}

// CredentialError turns ErrUnknown and its like into *route.CredentialError
// and leaves every other error, a *route.ScopeError too, as it is. Whose credential it
// is stays in the error, for the log.
func CredentialError(err error) error {
	var told *route.CredentialError
	switch {
	case errors.As(err, &told):
	case errors.Is(err, ErrExpired):
		told = &route.CredentialError{Reason: route.Expired}
	case errors.Is(err, ErrRevoked), errors.Is(err, ErrDisabled):
		told = &route.CredentialError{Reason: route.Revoked}
	case errors.Is(err, ErrUnknown), errors.Is(err, ErrKind):
		told = &route.CredentialError{Reason: route.Unknown}
	default:
		return err
	}
	return refusedcaller.Reword(err, told)
}
