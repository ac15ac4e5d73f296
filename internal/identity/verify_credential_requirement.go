package identity

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/credential"
)

// Requirement is what an entrance asks of a credential: the service it was
// issued for, its kind, and one of the scopes, all of the same credential.
type Requirement struct {
	// Service is the one that is entered; none admits nothing.
	Service string
	// Kinds are those that are taken; none admits nothing. Refresh tokens are
	// never taken: they are good for refreshing alone.
	Kinds []Kind
	// Scopes are those of which the credential must list one. None leaves the
	// question to the route table. A key without a list lists nothing.
	Scopes []string
}

// TokenKinds are the kinds that services take as bearer tokens: no keys, no
// refresh tokens.
func TokenKinds() []Kind {
	return []Kind{KindAccess, KindPersonal, KindProject, KindInstallation, KindWorkflow}
}

// Check is nil when the caller meets the requirement. The errors are
// ErrService for another service, ErrKind, and *route.ScopeError.
func (q Requirement) Check(c *Caller) error {
	switch {
	case q.Service == "":
		return ErrUnknown
	case !c.For(q.Service):
		return fmt.Errorf("%w: %w", ErrService, &route.CredentialError{Reason: route.Unknown, Services: c.Services})
	case c.Kind == KindRefresh || !slices.Contains(q.Kinds, c.Kind):
		return ErrKind
	case len(q.Scopes) > 0 && !slices.ContainsFunc(q.Scopes, c.Scopes.Lists):
		return &route.ScopeError{Needed: q.Scopes}
	}
	return nil
}

// Verify finds who the secret speaks for, if that meets one of the
// requirements; it is the only way from a secret to a caller. The errors are
// ErrUnknown, ErrRevoked, ErrExpired, ErrDisabled, those of Check about the
// first requirement, or the database's.
//
// Look-up is by hash, so its time tells nothing about the secret.
func (i *Identity) Verify(ctx context.Context, secret string, anyOf ...Requirement) (*Caller, error) {
	if sealed, ok := strings.CutPrefix(secret, sessionPrefix); ok {
		if !credential.IsInside(ctx) {
			return nil, ErrUnknown // from the network it is worth nothing, even with a right signature
		}
		return i.verifySession(ctx, sealed, anyOf)
	}
	e, err := i.lookup(ctx, secret)
	if err != nil {
		return nil, err
	}
	i.noteUse(e)
	return admit(anyOf, func(Requirement) *Caller { return e.caller })
}

// StillGood is Verify by the program itself, which is no use of the credential.
func (i *Identity) StillGood(ctx context.Context, secret string, anyOf ...Requirement) error {
	e, err := i.lookup(ctx, secret)
	if err == nil {
		_, err = admit(anyOf, func(Requirement) *Caller { return e.caller })
	}
	return err
}

// admit is the caller that a requirement is met by, or the refusal by the first.
func admit(anyOf []Requirement, caller func(Requirement) *Caller) (*Caller, error) {
	refused := ErrUnknown
	for n, q := range anyOf {
		c := caller(q)
		err := q.Check(c)
		if err == nil {
			return c, nil
		}
		if n == 0 {
			refused = c.refused(err, q.Service)
		}
	}
	return nil, refused
}
