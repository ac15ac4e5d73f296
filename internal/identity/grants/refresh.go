package grants

import (
	"context"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
)

// RefreshRequest is what an application presents to get new tokens.
type RefreshRequest struct {
	Service  string
	ClientID string
	Secret   string
	// Scopes narrow the new access token; none means those of the grant.
	Scopes []string
}

// Refresh exchanges a refresh token for a new pair of the same family. The old
// refresh token ends; if it is presented again, a copy is in other hands, and every
// token of the family ends. The errors are identity's of a credential: ErrUnknown,
// ErrExpired, ErrRevoked, ErrDisabled; ErrInvalid for scopes that were not granted.
func (g *Grants) Refresh(ctx context.Context, r RefreshRequest, issue Issue) (Tokens, error) {
	if r.Secret == "" || len(r.Secret) > maxCode {
		return Tokens{}, identity.ErrUnknown
	}
	var (
		tokens Tokens
		stolen string
	)
	key := "identity/refresh/" + hex.EncodeToString(hashCode(r.Secret)[:8])
	err := g.db.WriteKeyed(ctx, key, func(ctx context.Context, tx *database.Tx) error {
		stolen = ""
		old, err := g.identity.TokenBySecretIn(ctx, tx, r.Secret)
		if err != nil {
			return err
		}
		if old.Kind != identity.KindRefresh || old.ClientID != r.ClientID || !old.For(r.Service) {
			return identity.ErrUnknown
		}
		if !old.RevokedAt.IsZero() {
			stolen = old.Family
			return identity.ErrRevoked
		}
		if !old.Alive(g.now()) {
			return identity.ErrExpired
		}
		if err := checkEnabled(ctx, tx, old.UserID); err != nil {
			return err
		}
		tokens, err = g.rotate(ctx, tx, old, r.Scopes, issue)
		return err
	})
	if stolen != "" {
		err = errors.Join(err, g.identity.RevokeFamily(ctx, stolen))
	}
	if err != nil {
		return Tokens{}, err
	}
	return tokens, nil
}

// rotate ends the old refresh token and issues the new pair. Narrowed scopes bind
// the access token only; the refresh token keeps what the user allowed.
func (g *Grants) rotate(
	ctx context.Context, tx *database.Tx, old identity.Token, narrowed []string, issue Issue,
) (Tokens, error) {
	ended, err := g.identity.RevokeTokenIn(ctx, tx, old.ID)
	if err != nil {
		return Tokens{}, err
	}
	if !ended {
		// It was revoked between the two statements, by a process that this
		// transaction's key does not keep out.
		return Tokens{}, identity.ErrRevoked
	}
	scopes, err := g.narrow(ctx, old.Scopes, narrowed)
	if err != nil {
		return Tokens{}, err
	}
	issue.Refresh = true
	return g.issue(ctx, tx, identity.IssueOptions{
		Services: old.Services, Scopes: old.Scopes, UserID: old.UserID, ClientID: old.ClientID, TeamID: old.TeamID,
		Family: old.Family,
	}, scopes, issue)
}

// narrow is the part of the granted scopes that was asked for; all without one.
func (g *Grants) narrow(ctx context.Context, granted, asked []string) ([]string, error) {
	if len(asked) == 0 {
		return granted, nil
	}
	scopes := make([]string, 0, len(asked))
	for _, written := range asked {
		s, err := g.identity.Expand(ctx, written)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(granted, s.Name) {
			return nil, &identity.InvalidError{Field: "scope", Reason: strconv.Quote(s.Name) + " was not granted"}
		}
		scopes = append(scopes, s.Name)
	}
	return scopes, nil
}
