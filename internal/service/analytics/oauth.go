package analytics

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/oauth"
)

// codeTTL is how long an authorization code waits to be exchanged.
const codeTTL = 10 * time.Minute

// RequestDeviceCode starts a device flow. The contract knows no client here;
// one that names itself must exist, and its codes are its own.
func (s *Service) RequestDeviceCode(ctx context.Context, c oauth.Client, scopes []string, address string) (DeviceCode, error) {
	scopes, err := s.ownScopes(scopes)
	if err != nil {
		return DeviceCode{}, err
	}
	if err := s.checkNamed(ctx, c); err != nil {
		return DeviceCode{}, err
	}
	if _, err := s.world.Limits.Take(ctx, s.perMinute(), address, 1); err != nil {
		return DeviceCode{}, err
	}
	start, err := s.identity.StartDevice(ctx, identity.DeviceRequest{
		Service: Name, ClientID: c.ID, Scopes: scopes, TTL: s.config.CodeTTL, Interval: s.config.Interval,
		Format: identity.Format{Alphabet: identity.Hex, Length: 64},
	})
	if errors.Is(err, identity.ErrInvalid) {
		return DeviceCode{}, errScope()
	}
	if err != nil {
		return DeviceCode{}, fmt.Errorf("start device flow: %w", err)
	}
	return DeviceCode{
		DeviceStart: start, VerificationURI: s.world.URL() + "/dag/auth/verify_code?code=" + start.UserCode,
		Life: s.config.CodeTTL, Interval: s.config.Interval,
	}, nil
}

// ownScopes checks that the scopes are this service's and fills in the default.
func (s *Service) ownScopes(written []string) ([]string, error) {
	if len(written) == 0 {
		return []string{ScopeUserID}, nil
	}
	own := s.identity.AllScopes(Name)
	for _, w := range written {
		scope, err := s.identity.Expand(w)
		if err != nil || !slices.ContainsFunc(own, func(o identity.Scope) bool { return o.Name == scope.Name }) {
			return nil, &oauth.Error{Code: oauth.InvalidScope, Description: "A scope is unknown. Known ones are in the documentation."}
		}
	}
	return written, nil
}

// checkNamed looks at a client that did not have to name itself.
func (s *Service) checkNamed(ctx context.Context, c oauth.Client) error {
	if c.ID == "" {
		return nil
	}
	client, err := s.identity.Client(ctx, c.ID)
	if errors.Is(err, identity.ErrNotFound) || (err == nil && c.Secret != "" && !client.HasSecret(c.Secret)) {
		return errClient(c)
	}
	return err
}

// DeviceToken redeems a device code.
func (s *Service) DeviceToken(ctx context.Context, c oauth.Client, deviceCode string) (identity.Tokens, error) {
	if deviceCode == "" {
		return identity.Tokens{}, oauth.BadRequest("device_code is missing")
	}
	if err := s.checkNamed(ctx, c); err != nil {
		return identity.Tokens{}, err
	}
	tokens, err := s.identity.PollDevice(ctx, identity.Poll{Service: Name, ClientID: c.ID, Code: deviceCode, Style: c.Style()}, s.issue())
	return tokens, fromGrant(err)
}

// Authorize checks what the browser brings. An error comes with an
// authorization when the address is one that the application registered.
func (s *Service) Authorize(ctx context.Context, r AuthorizeRequest) (*identity.Authorization, error) {
	client, err := s.identity.Client(ctx, r.ClientID)
	if errors.Is(err, identity.ErrNotFound) {
		return nil, &oauth.Error{Code: oauth.InvalidClient, Description: "The application is unknown: check client_id."}
	}
	if err != nil {
		return nil, fmt.Errorf("find client: %w", err)
	}
	if !client.HasRedirect(r.RedirectURI) {
		return nil, oauth.BadRequest("The application did not register this redirect_uri.")
	}
	a := &identity.Authorization{
		Service: Name, ClientID: client.ID, RedirectURI: r.RedirectURI, State: r.State, HasState: r.HasState,
		Challenge: r.Challenge, CodeTTL: codeTTL, CodeFormat: identity.Format{Alphabet: identity.Alphanumeric, Length: 40},
	}
	if r.ResponseType != "code" {
		return a, &oauth.Error{Code: oauth.UnsupportedResponseType, Description: "response_type must be code"}
	}
	if err := checkProof(client, r); err != nil {
		return a, err
	}
	if a.Scopes, err = s.ownScopes(r.Scopes); err != nil {
		return a, err
	}
	if err := s.identity.CheckAsked(client, Name, a.Scopes); err != nil {
		return a, errScope()
	}
	return a, nil
}

func errScope() error {
	return &oauth.Error{Code: oauth.InvalidScope, Description: "A scope is not one that the application may ask for."}
}

// checkProof holds the rules of proof keys. Public clients cannot do without:
// whoever catches their code could redeem it.
func checkProof(client identity.Client, r AuthorizeRequest) error {
	switch {
	case r.Challenge == "" && r.ChallengeMethod == "":
		if client.Type == identity.ClientDevice {
			return oauth.BadRequest("code_challenge is required of clients that cannot keep a secret")
		}
		return nil
	case r.ChallengeMethod != "S256":
		return oauth.BadRequest("code_challenge_method must be S256")
	case !identity.CheckChallenge(r.Challenge):
		return oauth.BadRequest("code_challenge must be 43 base64url characters")
	}
	return nil
}

// RedeemCode exchanges an authorization code for tokens.
func (s *Service) RedeemCode(ctx context.Context, c oauth.Client, code, redirectURI, verifier string) (identity.Tokens, error) {
	client, err := s.client(ctx, c)
	if err != nil {
		return identity.Tokens{}, err
	}
	if code == "" {
		return identity.Tokens{}, oauth.BadRequest("code is missing")
	}
	if redirectURI == "" {
		return identity.Tokens{}, oauth.BadRequest("redirect_uri is missing")
	}
	tokens, err := s.identity.RedeemCode(ctx, identity.Redemption{
		Service: Name, ClientID: client.ID, Code: code, RedirectURI: &redirectURI, Verifier: verifier,
	}, s.issue())
	return tokens, fromGrant(err)
}

// client is the one that proves itself. Clients that cannot keep a secret may
// leave it out: their proof is the proof key.
func (s *Service) client(ctx context.Context, c oauth.Client) (identity.Client, error) {
	if c.ID == "" {
		return identity.Client{}, oauth.BadRequest("client_id is missing")
	}
	client, err := s.identity.Client(ctx, c.ID)
	if errors.Is(err, identity.ErrNotFound) {
		return identity.Client{}, errClient(c)
	}
	if err != nil {
		return identity.Client{}, fmt.Errorf("find client: %w", err)
	}
	if c.Secret == "" && client.Type == identity.ClientDevice {
		return client, nil
	}
	if c.Secret == "" && !c.Basic {
		return identity.Client{}, oauth.BadRequest("client_secret is missing")
	}
	if !client.HasSecret(c.Secret) {
		return identity.Client{}, errClient(c)
	}
	return client, nil
}

// Refresh exchanges a refresh token for a new pair. A token of the device
// grant belongs to no client and can be refreshed without one (K-N5).
func (s *Service) Refresh(ctx context.Context, c oauth.Client, secret string, scopes []string) (identity.Tokens, error) {
	if secret == "" {
		return identity.Tokens{}, oauth.BadRequest("refresh_token is missing")
	}
	request := identity.RefreshRequest{Service: Name, Secret: secret, Scopes: scopes}
	if c.ID != "" || c.Secret != "" {
		client, err := s.client(ctx, c)
		if err != nil {
			return identity.Tokens{}, err
		}
		request.ClientID = client.ID
	}
	tokens, err := s.identity.RefreshTokens(ctx, request, s.issue())
	if errors.Is(err, identity.ErrUnknown) && request.ClientID != "" {
		request.ClientID = ""
		tokens, err = s.identity.RefreshTokens(ctx, request, s.issue())
	}
	return tokens, fromRefresh(err)
}

// issue says what a grant becomes.
func (s *Service) issue() identity.Issue {
	return identity.Issue{AccessTTL: s.config.AccessTTL, RefreshTTL: s.config.RefreshTTL, Refresh: true}
}

// fromGrant says what a redemption met.
func fromGrant(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, identity.ErrGrantPending):
		return &oauth.Error{Code: oauth.Pending, Description: "The user has not decided yet."}
	case errors.Is(err, identity.ErrGrantTooSoon):
		return &oauth.Error{Code: oauth.SlowDown, Description: "Wait for the interval between polls."}
	case errors.Is(err, identity.ErrGrantDenied):
		return &oauth.Error{Code: oauth.Denied, Description: "The user denied the request."}
	case errors.Is(err, identity.ErrGrantExpired):
		return &oauth.Error{Code: oauth.Expired, Description: "The code has expired. Start again with a new one."}
	case errors.Is(err, identity.ErrGrantPolicy):
		return &oauth.Error{Code: oauth.Policy, Description: "The account cannot authorize these scopes because of its administrator's policy."}
	case errors.Is(err, identity.ErrGrantInternal):
		return &oauth.Error{Code: oauth.OrgInternal, Description: "The client is limited to accounts of its organization."}
	case errors.Is(err, identity.ErrInvalid):
		return errScope()
	case errors.Is(err, identity.ErrGrantUnknown), errors.Is(err, identity.ErrGrantClaimed), errors.Is(err, identity.ErrGrantMismatch):
		return &oauth.Error{Code: oauth.InvalidGrant, Description: "The code is unknown, used, or of another client, address or proof key."}
	}
	return fmt.Errorf("redeem: %w", err)
}

// fromRefresh says what a refresh met.
func fromRefresh(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, identity.ErrInvalid):
		return &oauth.Error{Code: oauth.InvalidScope, Description: "A scope was not granted."}
	case errors.Is(err, identity.ErrUnknown), errors.Is(err, identity.ErrRevoked),
		errors.Is(err, identity.ErrExpired), errors.Is(err, identity.ErrDisabled):
		return &oauth.Error{Code: oauth.InvalidGrant, Description: "The refresh token is unknown, used, revoked or expired."}
	}
	return fmt.Errorf("refresh: %w", err)
}
