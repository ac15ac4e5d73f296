package articles

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
)

// AuthorizeRequest is what the browser brings to an authorize page.
type AuthorizeRequest struct {
	ClientID                   string
	Scopes                     []string
	State                      string
	HasState                   bool
	RedirectURI                string
	Challenge, ChallengeMethod string
	// Team is where a team access token is asked for; nil for the public page.
	Team *identity.Team
}

// Authorize checks an authorization request. What it returns waits for the
// user.
func (s *Service) Authorize(ctx context.Context, r AuthorizeRequest) (identity.Authorization, error) {
	client, err := s.identity.Client(ctx, r.ClientID)
	if errors.Is(err, identity.ErrNotFound) {
		return identity.Authorization{}, errInvalid("client_id is unknown")
	}
	if err != nil {
		return identity.Authorization{}, fmt.Errorf("find client: %w", err)
	}
	a := identity.Authorization{
		Service: Name, ClientID: client.ID, RedirectURI: r.RedirectURI, State: r.State, HasState: r.HasState,
		Challenge: r.Challenge, CodeTTL: s.config.CodeTTL, CodeFormat: identity.Hex40(),
	}
	allowed := []string{ScopeRead, ScopeReadTeam, ScopeWrite, ScopeWriteTeam}
	if r.Team != nil {
		a.TeamID = r.Team.ID
		allowed = []string{ScopeReadTeam, ScopeWriteTeam}
	}
	if a.Scopes, err = s.expandScopes(r.Scopes, allowed); err != nil {
		return a, err
	}
	if _, err := s.identity.RequestedScopes(client, Name, a.Scopes); err != nil {
		return a, errInvalid("scope holds one that the application was not registered for")
	}
	if err := checkProof(client, r); err != nil {
		return a, err
	}
	if a.RedirectURI == "" && len(client.RedirectURIs) > 0 {
		a.RedirectURI = client.RedirectURIs[0]
	}
	if !client.HasRedirect(a.RedirectURI) {
		return a, errInvalid("redirect_uri is not one that the application registered")
	}
	return a, nil
}

// expandScopes finds the scopes behind what was written, in any dialect, each once.
func (s *Service) expandScopes(written, allowed []string) ([]string, error) {
	if len(written) == 0 {
		return nil, errInvalid("scope is missing")
	}
	var names []string
	for _, w := range written {
		scope, err := s.identity.Expand(w)
		if err != nil || !slices.Contains(allowed, scope.Name) {
			return nil, errInvalid("scope may hold %s only", s.spelt(allowed))
		}
		if !slices.Contains(names, scope.Name) {
			names = append(names, scope.Name)
		}
	}
	return names, nil
}

// spelt lists scopes as the dialect writes them.
func (s *Service) spelt(names []string) string {
	full := make([]string, len(names))
	for n, name := range names {
		full[n] = s.identity.Full(name)
	}
	return strings.Join(full, ", ")
}

// checkProof checks the rules of proof keys, which are required of clients that
// cannot keep a secret.
func checkProof(client identity.Client, r AuthorizeRequest) error {
	switch {
	case r.Challenge == "" && r.ChallengeMethod == "":
		if client.Type == identity.ClientDevice {
			return errInvalid("code_challenge is required of applications that cannot keep a secret")
		}
		return nil
	case r.ChallengeMethod != "S256" || !grants.IsChallenge(r.Challenge):
		return errInvalid("code_challenge must be 43 base64url characters, with code_challenge_method S256")
	}
	return nil
}

// TokenRequest exchanges a code.
type TokenRequest struct {
	ClientID, ClientSecret, Code, Verifier string
	// Team is where a team access token is asked for; nil for an ordinary one.
	Team *identity.Team
}

// CreateToken exchanges a code for an access token or a team access token.
func (s *Service) CreateToken(ctx context.Context, r TokenRequest) (grants.Tokens, error) {
	for _, member := range [][2]string{{"client_id", r.ClientID}, {"client_secret", r.ClientSecret}, {"code", r.Code}} {
		if member[1] == "" {
			return grants.Tokens{}, errInvalid("%s is missing", member[0])
		}
	}
	client, err := s.identity.CheckClient(ctx, r.ClientID, r.ClientSecret)
	if errors.Is(err, identity.ErrUnknown) {
		return grants.Tokens{}, errUnauthorized("client_id or client_secret is wrong")
	}
	if err != nil {
		return grants.Tokens{}, fmt.Errorf("check client: %w", err)
	}
	redemption := grants.Redemption{Service: Name, ClientID: client.ID, Code: r.Code, Verifier: r.Verifier}
	if r.Team != nil {
		redemption.TeamID = r.Team.ID
	}
	tokens, err := s.grants.RedeemCode(ctx, redemption, grants.Issue{})
	switch {
	case errors.Is(err, grants.ErrUnknown), errors.Is(err, grants.ErrClaimed), errors.Is(err, grants.ErrExpired),
		errors.Is(err, grants.ErrMismatch), errors.Is(err, grants.ErrDenied):
		return grants.Tokens{}, errInvalid("code is unknown, used or expired, or was given to another application")
	case err != nil:
		return grants.Tokens{}, fmt.Errorf("redeem code: %w", err)
	}
	return tokens, nil
}

// DeleteToken deactivates a token of the edition it is deleted at.
func (s *Service) DeleteToken(ctx context.Context, secret string, team *identity.Team) error {
	caller, err := s.identity.Verify(ctx, secret, identity.Requirement{Service: Name, Kinds: identity.TokenKinds()})
	switch {
	case errors.Is(err, identity.ErrUnknown), errors.Is(err, identity.ErrKind),
		errors.Is(err, identity.ErrRevoked), errors.Is(err, identity.ErrExpired):
		return errNotFound("Not found")
	case err != nil && !errors.Is(err, identity.ErrDisabled):
		return fmt.Errorf("find token: %w", err)
	}
	if caller != nil && caller.TeamID != (Edition{Team: team}).teamID() {
		return errNotFound("Not found")
	}
	if err := s.identity.RevokeSecret(ctx, Name, secret); err != nil && !errors.Is(err, identity.ErrUnknown) {
		return fmt.Errorf("revoke token: %w", err)
	}
	return nil
}
