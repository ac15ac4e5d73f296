package tokens

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/articles/refusal"
	"stoa.dev/stoa/internal/service/articles/site"
)

// Config is what the service decides about its tokens.
type Config struct {
	// Service is the one that codes and tokens are for.
	Service string
	// CodeTTL is how long a code waits to be exchanged for a token.
	CodeTTL time.Duration
}

// Tokens are the flows of one service.
type Tokens struct {
	identity *identity.Identity
	grants   *grants.Grants
	config   Config
	// site is the one that the host of a request names.
	site func(*route.Request) (site.Site, error)
}

// New builds the flows.
func New(identity *identity.Identity, grants *grants.Grants, c Config,
	at func(*route.Request) (site.Site, error),
) *Tokens {
	return &Tokens{identity: identity, grants: grants, config: c, site: at}
}

// authorizeRequest is what the browser brings to an authorize page.
type authorizeRequest struct {
	ClientID                   string
	Scopes                     []string
	State                      string
	HasState                   bool
	RedirectURI                string
	Challenge, ChallengeMethod string
	// Team is where a team access token is asked for; nil for the public page.
	Team *identity.Team
}

// authorize checks an authorization request. What it returns waits for the
// user.
func (t *Tokens) authorize(ctx context.Context, r authorizeRequest) (identity.Authorization, error) {
	client, err := t.identity.Client(ctx, r.ClientID)
	if errors.Is(err, identity.ErrNotFound) {
		return identity.Authorization{}, invalid("client_id is unknown")
	}
	if err != nil {
		return identity.Authorization{}, fmt.Errorf("find client: %w", err)
	}
	a := identity.Authorization{
		Service: t.config.Service, ClientID: client.ID, RedirectURI: r.RedirectURI, State: r.State, HasState: r.HasState,
		Challenge: r.Challenge, CodeTTL: t.config.CodeTTL, CodeFormat: identity.Hex40(),
	}
	allowed := []string{
		site.ScopeRead, site.ScopeReadTeam, site.ScopeWrite, site.ScopeWriteTeam,
	}
	if r.Team != nil {
		a.TeamID = r.Team.ID
		allowed = []string{site.ScopeReadTeam, site.ScopeWriteTeam}
	}
	if a.Scopes, err = t.expandScopes(ctx, r.Scopes, allowed); err != nil {
		return a, err
	}
	if _, err := t.identity.RequestedScopes(ctx, client, t.config.Service, a.Scopes); err != nil {
		return a, invalid("scope holds one that the application was not registered for")
	}
	if err := checkProof(client, r); err != nil {
		return a, err
	}
	if a.RedirectURI == "" && len(client.RedirectURIs) > 0 {
		a.RedirectURI = client.RedirectURIs[0]
	}
	if !client.HasRedirect(a.RedirectURI) {
		return a, invalid("redirect_uri is not one that the application registered")
	}
	return a, nil
}

// expandScopes finds the scopes behind what was written, in any dialect, each once.
func (t *Tokens) expandScopes(ctx context.Context, written, allowed []string) ([]string, error) {
	if len(written) == 0 {
		return nil, invalid("scope is missing")
	}
	var names []string
	for _, w := range written {
		scope, err := t.identity.Expand(ctx, w)
		if err != nil || !slices.Contains(allowed, scope.Name) {
			return nil, invalid("scope may hold %s only", t.spelt(ctx, allowed))
		}
		if !slices.Contains(names, scope.Name) {
			names = append(names, scope.Name)
		}
	}
	return names, nil
}

// spelt lists scopes as the dialect writes them.
func (t *Tokens) spelt(ctx context.Context, names []string) string {
	full := make([]string, len(names))
	for n, name := range names {
		full[n] = t.identity.Full(ctx, name)
	}
	return strings.Join(full, ", ")
}

// checkProof checks the rules of proof keys, which are required of clients that
// cannot keep a secret.
func checkProof(client identity.Client, r authorizeRequest) error {
	switch {
	case r.Challenge == "" && r.ChallengeMethod == "":
		if client.Type == identity.ClientDevice {
			return invalid("code_challenge is required of applications that cannot keep a secret")
		}
		return nil
	case r.ChallengeMethod != "S256" || !grants.IsChallenge(r.Challenge):
		return invalid("code_challenge must be 43 base64url characters, with code_challenge_method S256")
	}
	return nil
}

// tokenRequest exchanges a code.
type tokenRequest struct {
	ClientID, ClientSecret, Code, Verifier string
	// Team is where a team access token is asked for; nil for an ordinary one.
	Team *identity.Team
}

// create exchanges a code for an access token or a team access token.
func (t *Tokens) create(ctx context.Context, r tokenRequest) (grants.Tokens, error) {
	for _, member := range [][2]string{
		{"client_id", r.ClientID}, {"client_secret", r.ClientSecret}, {"code", r.Code},
	} {
		if member[1] == "" {
			return grants.Tokens{}, invalid("%s is missing", member[0])
		}
	}
	client, err := t.identity.CheckClient(ctx, r.ClientID, r.ClientSecret)
	if errors.Is(err, identity.ErrUnknown) {
		return grants.Tokens{}, refusal.New(refusal.Unauthorized, "client_id or client_secret is wrong")
	}
	if err != nil {
		return grants.Tokens{}, fmt.Errorf("check client: %w", err)
	}
	redemption := grants.Redemption{Service: t.config.Service, ClientID: client.ID, Code: r.Code, Verifier: r.Verifier}
	if r.Team != nil {
		redemption.TeamID = r.Team.ID
	}
	tokens, err := t.grants.RedeemCode(ctx, redemption, grants.Issue{})
	switch {
	case errors.Is(err, grants.ErrUnknown), errors.Is(err, grants.ErrClaimed),
		errors.Is(err, grants.ErrExpired), errors.Is(err, grants.ErrMismatch),
		errors.Is(err, grants.ErrDenied):
		return grants.Tokens{}, invalid("code is unknown, used or expired, or was given to another application")
	case err != nil:
		return grants.Tokens{}, fmt.Errorf("redeem code: %w", err)
	}
	return tokens, nil
}

// remove deactivates a token of the user's at the site that it belongs to.
func (t *Tokens) remove(ctx context.Context, user *identity.Caller, secret string, team *identity.Team) error {
	caller, err := t.identity.Verify(ctx, secret, identity.Requirement{
		Service: t.config.Service, Kinds: identity.TokenKinds(),
	})
	switch {
	case errors.Is(err, identity.ErrUnknown), errors.Is(err, identity.ErrKind),
		errors.Is(err, identity.ErrRevoked), errors.Is(err, identity.ErrExpired), errors.Is(err, identity.ErrDisabled):
		return refusal.Missing()
	case err != nil:
		return fmt.Errorf("find token: %w", err)
	}
	if caller.UserID != user.UserID || caller.TeamID != (site.Site{Team: team}).TeamID() {
		return refusal.Missing()
	}
	if err := t.identity.RevokeSecret(ctx, t.config.Service, secret); err != nil && !errors.Is(err, identity.ErrUnknown) {
		return fmt.Errorf("revoke token: %w", err)
	}
	return nil
}

func invalid(format string, args ...any) error {
	return refusal.New(refusal.BadRequest, format, args...)
}
