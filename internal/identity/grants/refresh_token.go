package grants

import (
	"context"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"
	"strings"

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

// Refresh gives new tokens for a refresh token, of the same family. Without rotation
// the refresh token stays. With it the old one ends; within the grace it gives the
// same pair again, unless the new one has been used, and after that a copy is in
// other hands and every token of the family ends. The errors are identity's of a
// credential: ErrUnknown, ErrExpired, ErrRevoked, ErrDisabled; ErrInvalid for scopes
// that were not granted.
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
			tokens, stolen, err = g.repeat(ctx, tx, old, r)
			return err
		}
		if !old.Alive(g.now()) {
			return identity.ErrExpired
		}
		if err := checkEnabled(ctx, tx, old.UserID); err != nil {
			return err
		}
		chosen, err := g.narrow(ctx, old, r.Scopes)
		if err != nil {
			return err
		}
		if !issue.Rotate {
			tokens, err = g.renewAccess(ctx, tx, old, chosen, issue)
			tokens.Refresh = r.Secret
			return err
		}
		tokens, err = g.rotate(ctx, tx, old, r, chosen, issue)
		return err
	})
	if stolen != "" {
		err = errors.Join(err, g.revokeFamily(ctx, stolen))
	}
	if err != nil {
		return Tokens{}, err
	}
	return tokens, nil
}

// renewAccess issues an access token beside the refresh token, which it does not
// outlive.
func (g *Grants) renewAccess(
	ctx context.Context, tx *database.Tx, old identity.Token, chosen scopeChoice, issue Issue,
) (Tokens, error) {
	alive, err := g.identity.UseTokenIn(ctx, tx, old.ID)
	if err != nil {
		return Tokens{}, err
	}
	if !alive {
		// As in rotate: another process revoked it in between.
		return Tokens{}, identity.ErrRevoked
	}
	issue.Refresh = false
	if !old.ExpiresAt.IsZero() {
		issue.AccessTTL = min(issue.AccessTTL, old.ExpiresAt.Sub(g.now()))
	}
	tokens, err := g.issueAgain(ctx, tx, old, chosen, issue)
	tokens.RefreshToken = old
	return tokens, err
}

// maxAccess is how many access tokens one grant has at a time, expired ones among them: refreshing gives as many as are
// asked for, and each is remembered for long. It is far above what an application uses.
const maxAccess = 1000

// issueAgain makes further tokens of a grant. The oldest access tokens of very many end.
func (g *Grants) issueAgain(
	ctx context.Context, tx *database.Tx, old identity.Token, chosen scopeChoice, issue Issue,
) (Tokens, error) {
	tokens, err := g.issue(ctx, tx, sameGrant(old), chosen, issue)
	if err != nil {
		return tokens, err
	}
	return tokens, g.identity.KeepNewestIn(ctx, tx, old.Family, maxAccess)
}

// rotate ends the old refresh token and issues the new pair. Narrowed scopes bind
// the access token only; the refresh token keeps what the user allowed.
func (g *Grants) rotate(
	ctx context.Context, tx *database.Tx, old identity.Token, r RefreshRequest, chosen scopeChoice, issue Issue,
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
	issue.Refresh = true
	tokens, err := g.issueAgain(ctx, tx, old, chosen, issue)
	if err != nil || issue.Grace <= 0 {
		return tokens, err
	}
	return tokens, g.identity.KeepReplacementIn(ctx, tx, r.Secret, identity.Replacement{
		TokenID: old.ID, Request: r.fingerprint(), Secrets: []string{tokens.Access, tokens.Refresh},
		ExpiresAt: g.now().Add(issue.Grace),
	})
}

// repeat gives the pair again that a rotated refresh token became. Where that is over
// it names the family that must end, because a copy of the token is in other hands.
func (g *Grants) repeat(
	ctx context.Context, tx *database.Tx, old identity.Token, r RefreshRequest,
) (tokens Tokens, stolen string, err error) {
	kept, err := g.identity.ReplacementIn(ctx, tx, old.ID, r.Secret, r.fingerprint())
	switch {
	case errors.Is(err, identity.ErrNotFound):
		return Tokens{}, old.Family, identity.ErrRevoked
	case err != nil:
		return Tokens{}, "", err
	}
	tokens.Access, tokens.Refresh = kept.Secrets[0], kept.Secrets[1]
	if tokens.Token, err = g.identity.TokenBySecretIn(ctx, tx, tokens.Access); err != nil {
		return Tokens{}, "", err
	}
	if tokens.RefreshToken, err = g.identity.TokenBySecretIn(ctx, tx, tokens.Refresh); err != nil {
		return Tokens{}, "", err
	}
	if !tokens.RefreshToken.Alive(g.now()) {
		// The new token was used, so the answer did arrive.
		return Tokens{}, old.Family, identity.ErrRevoked
	}
	if err := checkEnabled(ctx, tx, old.UserID); err != nil {
		return Tokens{}, "", err
	}
	return tokens, "", nil
}

// fingerprint tells requests with the same refresh token apart.
func (r RefreshRequest) fingerprint() string { return "scope " + strings.Join(r.Scopes, " ") }

// sameGrant is what a token of the same grant is issued for.
func sameGrant(old identity.Token) identity.IssueOptions {
	return identity.IssueOptions{
		Services: old.Services, Scopes: old.Scopes, Asked: old.Asked, UserID: old.UserID, ClientID: old.ClientID,
		TeamID: old.TeamID, Family: old.Family,
	}
}

// narrow is the part of the granted scopes that was asked for; all without one.
func (g *Grants) narrow(ctx context.Context, old identity.Token, asked []string) (scopeChoice, error) {
	if len(asked) == 0 {
		return scopeChoice{old.Scopes, old.Asked}, nil
	}
	chosen := scopeChoice{asked: distinct(asked)}
	for _, written := range asked {
		s, err := g.identity.Expand(ctx, written)
		if err != nil {
			return scopeChoice{}, err
		}
		if !slices.Contains(old.Scopes, s.Name) {
			return scopeChoice{}, &identity.InvalidError{Field: "scope", Reason: strconv.Quote(s.Name) + " was not granted"}
		}
		chosen.names = append(chosen.names, s.Name)
	}
	return chosen, nil
}
