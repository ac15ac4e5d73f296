package grants

import (
	"context"
	"errors"
	"slices"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
)

// Issue says what tokens a grant becomes.
type Issue struct {
	// Services the tokens are good for; none means the grant's own.
	Services []string
	// ForScopes adds every service that declares one of the granted scopes.
	ForScopes bool
	// AccessTTL and RefreshTTL are lifetimes; zero means for ever.
	AccessTTL, RefreshTTL time.Duration
	// Refresh asks for a refresh token too.
	Refresh bool
	// Rotate ends a refresh token when it is used and issues another. Without it a
	// refresh token stays as it is until it expires or is revoked.
	Rotate bool
	// Grace is how long a rotated refresh token gives the same pair again: answers
	// get lost, and two threads refresh at once.
	Grace time.Duration
}

// Tokens are the outcome of a grant, with the secrets, which are shown once.
type Tokens struct {
	Access, Refresh string
	// Token and RefreshToken describe them; RefreshToken is zero without one.
	Token, RefreshToken identity.Token
	// Nonce and SignedInAt are those of the authorization; empty for any other
	// grant, and after a refresh.
	Nonce      string
	SignedInAt time.Time
}

// claim turns an approved grant into tokens. The state changes in the transaction
// that issues, so of any number of tries one succeeds.
func (g *Grants) claim(ctx context.Context, id int64, issue Issue) (Tokens, error) {
	var tokens Tokens
	now := g.now()
	err := g.db.WriteKeyed(ctx, writeKey(id), func(ctx context.Context, tx *database.Tx) error {
		grant, err := grantByID(ctx, tx, id)
		if err != nil {
			return orUnknown(err)
		}
		if err := grant.endedError(now); err != nil {
			return err
		}
		if grant.State != Approved {
			return ErrPending
		}
		if err := checkEnabled(ctx, tx, grant.UserID); errors.Is(err, identity.ErrDisabled) {
			return ErrDenied
		} else if err != nil {
			return err
		}
		if n, err := claimGrant(ctx, tx, id); err != nil {
			return err
		} else if n == 0 {
			return ErrDenied // what was allowed was taken back in the same moment
		}
		tokens, err = g.issue(ctx, tx, identity.IssueOptions{
			Services: g.services(grant, issue), Scopes: grant.Scopes, Asked: grant.Asked, UserID: grant.UserID,
			ClientID: grant.ClientID, TeamID: grant.TeamID, Family: grant.family,
		}, scopeChoice{grant.Scopes, grant.Asked}, issue)
		tokens.Nonce, tokens.SignedInAt = grant.nonce, grant.signedInAt
		return err
	})
	if err != nil {
		return Tokens{}, err
	}
	g.polls.forget(id)
	return tokens, nil
}

// scopeChoice are scopes by name and as they were written.
type scopeChoice struct{ names, asked []string }

// distinct leaves out repetitions, which would make what is stored as long as a
// request may be.
func distinct(asked []string) []string {
	out := make([]string, 0, len(asked))
	for _, written := range asked {
		if !slices.Contains(out, written) {
			out = append(out, written)
		}
	}
	return out
}

// issue makes the access token with its scopes and, when asked for, the refresh
// token with all that the user allowed.
func (g *Grants) issue(
	ctx context.Context, tx *database.Tx, allowed identity.IssueOptions, chosen scopeChoice, issue Issue,
) (tokens Tokens, err error) {
	access, refresh := allowed, allowed
	access.Kind, access.TTL = identity.KindAccess, issue.AccessTTL
	access.Scopes, access.Asked = chosen.names, chosen.asked
	refresh.Kind, refresh.TTL = identity.KindRefresh, issue.RefreshTTL
	tokens.Token, tokens.Access, err = g.identity.IssueTokenIn(ctx, tx, access)
	if err != nil || !issue.Refresh {
		return tokens, err
	}
	tokens.RefreshToken, tokens.Refresh, err = g.identity.IssueTokenIn(ctx, tx, refresh)
	return tokens, err
}

// services are those named by the issue and, if it asks for them, those that
// declare one of the scopes.
func (g *Grants) services(grant Grant, issue Issue) []string {
	services := slices.Clone(issue.Services)
	if len(services) == 0 {
		services = []string{grant.Service}
	}
	if !issue.ForScopes {
		return services
	}
	services = append(services, g.identity.ServicesDeclaring(grant.Scopes)...)
	slices.Sort(services)
	return slices.Compact(services)
}

// checkEnabled refuses users who were disabled or removed. A grant without a user has none.
func checkEnabled(ctx context.Context, q database.Querier, userID int64) error {
	if userID == 0 {
		return nil
	}
	disabled, err := userDisabled(ctx, q, userID)
	if errors.Is(err, database.ErrNotFound) || err == nil && disabled {
		return identity.ErrDisabled
	}
	return err
}
