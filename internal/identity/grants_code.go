package identity

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

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
	TTL       time.Duration
	Format    Format
}

// GrantCode makes an approved grant and the code that the browser carries to
// the application. ErrGrantPolicy and ErrGrantInternal mean that the user may
// not give this permission.
func (i *Identity) GrantCode(ctx context.Context, r CodeRequest) (string, Grant, error) {
	client, err := i.Client(ctx, r.ClientID)
	if err != nil {
		return "", Grant{}, err
	}
	scopes, err := i.askedScopes(client, r.Service, r.Scopes)
	if err != nil {
		return "", Grant{}, err
	}
	code := r.Format.Make(i.ids)
	hash := hashSecret(code)
	now := i.now()
	g := Grant{
		Kind: GrantCode, State: GrantApproved, Service: r.Service, ClientID: r.ClientID, UserID: r.UserID, TeamID: r.TeamID,
		Scopes: scopes, RedirectURI: r.RedirectURI, CreatedAt: now, ExpiresAt: now.Add(r.TTL),
		challenge: r.Challenge, family: i.ids.Hex(32), codeHash: hash[:],
	}
	err = i.db.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		if err := i.checkPolicy(ctx, tx, g); err != nil {
			return err
		}
		var err error
		g.ID, err = insertGrant(ctx, tx, g)
		return err
	})
	return code, g, err
}

// CheckChallenge reports whether text can be an S256 challenge: 43 URL-safe
// base64 characters.
func CheckChallenge(text string) bool {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	return err == nil && len(raw) == sha256.Size && len(text) == base64.RawURLEncoding.EncodedLen(sha256.Size)
}

// HasRedirect reports whether the client registered exactly this address, and the
// address is one that may be registered today. There is no normalisation and no
// pattern: near misses are how codes are stolen.
func (c Client) HasRedirect(uri string) bool {
	return slices.Contains(c.RedirectURIs, uri) && checkRedirect(uri) == nil
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

// RedeemCode exchanges a code for tokens, once. A second try with the same
// code ends the tokens of the first: one of the two was not the client.
func (i *Identity) RedeemCode(ctx context.Context, r Redemption, issue Issue) (Tokens, error) {
	if r.Code == "" || len(r.Code) > maxSecret {
		return Tokens{}, ErrGrantUnknown
	}
	hash := hashSecret(r.Code)
	g, err := grantByCode(ctx, i.db, hash[:])
	if err != nil {
		return Tokens{}, unknownGrant(err)
	}
	if g.Kind != GrantCode || g.Service != r.Service {
		return Tokens{}, ErrGrantUnknown
	}
	if g.ClientID != r.ClientID || g.TeamID != r.TeamID || (r.RedirectURI != nil && *r.RedirectURI != g.RedirectURI) || !g.verifies(r.Verifier) {
		return Tokens{}, ErrGrantMismatch
	}
	if err := g.endedError(i.now()); err != nil {
		return Tokens{}, i.revokeIfReplayed(ctx, g, err)
	}
	tokens, err := i.claim(ctx, g.ID, issue)
	return tokens, i.revokeIfReplayed(ctx, g, err)
}

// verifies checks the verifier against the challenge. A verifier without a
// challenge is a downgrade and refused too.
func (g Grant) verifies(verifier string) bool {
	if g.challenge == "" {
		return verifier == ""
	}
	sum := sha256.Sum256([]byte(verifier))
	given := base64.RawURLEncoding.EncodeToString(sum[:])
	return subtle.ConstantTimeCompare([]byte(given), []byte(g.challenge)) == 1
}

// revokeIfReplayed ends the family of a code that is presented again.
func (i *Identity) revokeIfReplayed(ctx context.Context, g Grant, err error) error {
	if errors.Is(err, ErrGrantClaimed) {
		return errors.Join(err, i.RevokeFamily(ctx, g.family))
	}
	return err
}

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
}

// Tokens are the outcome of a grant, with the secrets, which are shown once.
type Tokens struct {
	Access, Refresh string
	// Token and RefreshToken describe them; RefreshToken is zero without one.
	Token, RefreshToken Token
}

// claim turns an approved grant into tokens. The state changes in the
// transaction that issues, so of any number of tries one succeeds.
func (i *Identity) claim(ctx context.Context, id int64, issue Issue) (Tokens, error) {
	var tokens Tokens
	now := i.now()
	err := i.db.WriteKeyed(ctx, fmt.Sprintf("identity/grant/%d", id), func(ctx context.Context, tx *database.Tx) error {
		g, err := grantByID(ctx, tx, id)
		if err != nil {
			return unknownGrant(err)
		}
		if err := g.endedError(now); err != nil {
			return err
		}
		if g.State != GrantApproved {
			return ErrGrantPending
		}
		if err := mayAct(ctx, tx, g.UserID); errors.Is(err, ErrDisabled) {
			return ErrGrantDenied
		} else if err != nil {
			return err
		}
		g.State = GrantClaimed
		if err := updateGrant(ctx, tx, g); err != nil {
			return err
		}
		tokens, err = i.issue(ctx, tx, i.tokenOptions(g, issue), issue)
		return err
	})
	if err != nil {
		return Tokens{}, err
	}
	i.polls.forget(id)
	return tokens, nil
}

// tokenOptions is the access token of a grant.
func (i *Identity) tokenOptions(g Grant, issue Issue) IssueOptions {
	return IssueOptions{
		Kind: KindAccess, Services: i.services(issue, g.Service, g.Scopes), Scopes: g.Scopes, UserID: g.UserID, ClientID: g.ClientID,
		TeamID: g.TeamID, Family: g.family, TTL: issue.AccessTTL,
	}
}

// issue makes the access token and, when asked for, the refresh token.
func (i *Identity) issue(ctx context.Context, tx *database.Tx, o IssueOptions, issue Issue) (tokens Tokens, err error) {
	if tokens.Token, tokens.Access, err = i.IssueTokenIn(ctx, tx, o); err != nil || !issue.Refresh {
		return tokens, err
	}
	o.Kind, o.TTL = KindRefresh, issue.RefreshTTL
	tokens.RefreshToken, tokens.Refresh, err = i.IssueTokenIn(ctx, tx, o)
	return tokens, err
}

// RefreshRequest is what an application presents to get new tokens.
type RefreshRequest struct {
	Service  string
	ClientID string
	Secret   string
	// Scopes narrow the new access token; none means those of the grant.
	Scopes []string
}

// RefreshTokens exchanges a refresh token for a new pair of the same family.
// The old refresh token ends; if it is presented again, somebody holds a copy,
// and every token of the family ends.
func (i *Identity) RefreshTokens(ctx context.Context, r RefreshRequest, issue Issue) (Tokens, error) {
	if r.Secret == "" || len(r.Secret) > maxSecret {
		return Tokens{}, ErrUnknown
	}
	hash := hashSecret(r.Secret)
	var (
		tokens Tokens
		stolen string
	)
	now := i.now()
	err := i.db.WriteKeyed(ctx, "identity/refresh/"+hex.EncodeToString(hash[:8]), func(ctx context.Context, tx *database.Tx) error {
		stolen = ""
		old, err := credentialByHash(ctx, tx, hash[:])
		if err != nil {
			return orUnknown(err)
		}
		if old.Kind != KindRefresh || old.ClientID != r.ClientID || !forService(old.Services, r.Service) {
			return ErrUnknown
		}
		if !old.RevokedAt.IsZero() {
			stolen = old.Family
			return ErrRevoked
		}
		if !old.Alive(now) {
			return ErrExpired
		}
		if err := mayAct(ctx, tx, old.UserID); err != nil {
			return err
		}
		ended, err := revokeByID(ctx, tx, old.ID, now)
		if err := i.forgetOnCommit(tx)(ended, err); err != nil {
			return err
		}
		if len(ended) == 0 {
			// It was revoked between the two statements, by a process that this
			// transaction's key does not keep out.
			return ErrRevoked
		}
		tokens, err = i.reissue(ctx, tx, old, r.Scopes, issue)
		return err
	})
	if stolen != "" {
		err = errors.Join(err, i.RevokeFamily(ctx, stolen))
	}
	if err != nil {
		return Tokens{}, err
	}
	return tokens, nil
}

// reissue issues the new pair. Narrowed scopes bind the access token only; the
// refresh token keeps what the user allowed.
func (i *Identity) reissue(ctx context.Context, tx *database.Tx, old Token, narrowed []string, issue Issue) (tokens Tokens, err error) {
	o := IssueOptions{
		Kind: KindAccess, Services: old.Services, Scopes: old.Scopes, UserID: old.UserID, ClientID: old.ClientID,
		TeamID: old.TeamID, Family: old.Family, TTL: issue.AccessTTL,
	}
	if len(narrowed) > 0 {
		scopes, err := i.expandAll([]string{AllServices}, narrowed, false)
		if err != nil {
			return tokens, err
		}
		for _, scope := range scopes {
			if !slices.Contains(old.Scopes, scope) {
				return tokens, &InvalidError{"scope", quoted(scope) + " was not granted"}
			}
		}
		o.Scopes = scopes
	}
	if tokens.Token, tokens.Access, err = i.IssueTokenIn(ctx, tx, o); err != nil {
		return tokens, err
	}
	o.Kind, o.Scopes, o.TTL = KindRefresh, old.Scopes, issue.RefreshTTL
	tokens.RefreshToken, tokens.Refresh, err = i.IssueTokenIn(ctx, tx, o)
	return tokens, err
}
