package grants

import (
	"context"
	"errors"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
)

// CodeRequest is an authorization that a user has just given in the browser.
type CodeRequest struct {
	Service     string
	ClientID    string
	RedirectURI string
	Scopes      []string
	UserID      int64
	TeamID      int64
	// Challenge is the S256 proof-key challenge (RFC 7636), empty for none.
	Challenge string
	// Nonce and SignedInAt are told again with the tokens, for the id token.
	Nonce      string
	SignedInAt time.Time
	TTL        time.Duration
	Format     identity.Format
}

// IssueCode makes an approved grant and returns the code that the browser carries
// to the application. ErrPolicy and ErrInternal mean that the user may not give
// this permission.
func (g *Grants) IssueCode(ctx context.Context, r CodeRequest) (string, error) {
	client, err := g.identity.Client(ctx, r.ClientID)
	if err != nil {
		return "", err
	}
	scopes, err := g.identity.RequestedScopes(ctx, client, r.Service, r.Scopes)
	if err != nil {
		return "", err
	}
	code := r.Format.Make(g.ids)
	now := g.now()
	grant := Grant{
		Kind: KindCode, State: Approved, Service: r.Service, ClientID: r.ClientID, UserID: r.UserID, TeamID: r.TeamID,
		Scopes: scopes, Asked: distinct(r.Scopes), RedirectURI: r.RedirectURI, CreatedAt: now, ExpiresAt: now.Add(r.TTL),
		nonce: r.Nonce, signedInAt: r.SignedInAt, challenge: r.Challenge, family: g.ids.Hex(32), codeHash: hashCode(code),
	}
	err = g.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		if err := grant.checkPolicy(ctx, tx); err != nil {
			return err
		}
		if _, err := insertGrant(ctx, tx, grant); err != nil {
			return err
		}
		return g.record(ctx, tx, grant)
	})
	return code, err
}

// Redemption is what an application presents to get its tokens.
type Redemption struct {
	Service  string
	ClientID string
	Code     string
	// RedirectURI must be the one the code was granted for; nil where the
	// contract does not send it again.
	RedirectURI *string
	// TeamID must be the one the code was granted for, zero for none.
	TeamID int64
	// Verifier proves the challenge, if there was one.
	Verifier string
}

// RedeemCode exchanges a code for tokens, once. A second try with the same code
// ends the tokens of the first: one of the two was not the client.
func (g *Grants) RedeemCode(ctx context.Context, r Redemption, issue Issue) (Tokens, error) {
	if !possibleCode(r.Code) {
		return Tokens{}, ErrUnknown
	}
	grant, err := grantByCode(ctx, g.db, hashCode(r.Code))
	if err != nil {
		return Tokens{}, orUnknown(err)
	}
	if grant.Kind != KindCode || grant.Service != r.Service {
		return Tokens{}, ErrUnknown
	}
	if !grant.matches(r) {
		return Tokens{}, ErrMismatch
	}
	if err := grant.endedError(g.now()); err != nil {
		return Tokens{}, g.revokeIfReplayed(ctx, grant, err)
	}
	tokens, err := g.claim(ctx, grant.ID, issue)
	return tokens, g.revokeIfReplayed(ctx, grant, err)
}

// possibleCode reports whether a code may be one of those made here.
func possibleCode(code string) bool { return code != "" && len(code) <= maxCode }

// matches reports whether the redemption is the grant's: same client, team and
// redirect URI, and the proof of its challenge.
func (g Grant) matches(r Redemption) bool {
	return g.ClientID == r.ClientID && g.TeamID == r.TeamID &&
		(r.RedirectURI == nil || *r.RedirectURI == g.RedirectURI) && verifies(g.challenge, r.Verifier)
}

// revokeIfReplayed ends the family of a code that is presented again.
func (g *Grants) revokeIfReplayed(ctx context.Context, grant Grant, err error) error {
	if errors.Is(err, ErrClaimed) {
		return errors.Join(err, g.revokeFamily(ctx, grant.family))
	}
	return err
}
