package device

import (
	"context"
	"errors"
	"fmt"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/identity/signing"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/oauth"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/device/clientrules"
)

// Name is the configuration key, the label of metrics and the name in scopes and limits.
const Name = "device"

// Service translates the states of grants into the contract's words.
type Service struct {
	world    *world.World
	identity *identity.Identity
	grants   *grants.Grants
	keys     *signing.Keys
	config   Config
}

// New makes the service.
func New(w *world.World, identity *identity.Identity, grants *grants.Grants, c Config) *Service {
	return &Service{world: w, identity: identity, grants: grants, keys: signing.New(w), config: c}
}

// Module describes the service to the app.
func (s *Service) Module() module.Module {
	routes := s.routes()
	return module.Module{
		Name:   Name,
		Title:  "Device authorization",
		Letter: "J",
		Prefixes: []string{
			"/device/code", "/token", "/revoke", openIDPath, oauthPath,
			"/o/oauth2", "/oauth2/v3", userInfoPath, tokenInfoPath,
		},
		Handler: route.New(s.muxOptions(), routes),
		Conduct: clientrules.Rules(),
		Faults:  faultCatalogue(),
		Routes:  routes,
		Scopes:  scopes(),
		Example: module.Example{
			Credential: "STOA_DEVICE_CLIENT_ID",
			Shell:      `curl -d "client_id=$STOA_DEVICE_CLIENT_ID" -d "scope=video.readonly" "$STOA_URL/device/code"`,
		},
	}
}

// RequestCode starts a flow for a client of the input-constrained type. The
// network is the one that the request came from.
func (s *Service) RequestCode(ctx context.Context, network, clientID string, scopes []string) (Code, error) {
	if clientID == "" {
		return Code{}, oauth.BadRequest("client_id is missing")
	}
	if len(scopes) == 0 {
		return Code{}, oauth.BadRequest("scope is missing")
	}
	client, err := s.deviceClient(ctx, oauth.Client{ID: clientID})
	if err != nil {
		return Code{}, err
	}
	if _, err := s.world.Limits.TakeAll(ctx, s.codeCharges(client.ID, network)); err != nil {
		return Code{}, err
	}
	start, err := s.grants.StartDevice(ctx, grants.DeviceRequest{
		Service: Name, ClientID: client.ID, Scopes: scopes, TTL: s.config.CodeTTL, Interval: s.config.Interval,
	})
	if errors.Is(err, identity.ErrInvalid) {
		return Code{}, &oauth.Error{Code: oauth.InvalidScope, Description: err.Error()}
	}
	if err != nil {
		return Code{}, fmt.Errorf("start device flow: %w", err)
	}
	return Code{
		DeviceStart: start, VerificationURL: s.verificationURL(ctx), Life: s.config.CodeTTL, Interval: s.config.Interval,
	}, nil
}

// anyClient finds the client, whatever its type.
func (s *Service) anyClient(ctx context.Context, c oauth.Client) (identity.Client, error) {
	client, err := s.identity.Client(ctx, c.ID)
	if errors.Is(err, identity.ErrNotFound) {
		return identity.Client{}, oauth.BadClient(c, "The OAuth client was not found.")
	}
	if err != nil {
		return identity.Client{}, fmt.Errorf("find client: %w", err)
	}
	return client, nil
}

// provenClient finds the client and checks its secret. Those that cannot keep one may
// leave it out: their proof is the refresh token, or the proof key of their code.
func (s *Service) provenClient(ctx context.Context, c oauth.Client) (identity.Client, error) {
	client, err := s.anyClient(ctx, c)
	if err != nil {
		return identity.Client{}, err
	}
	if c.Secret == "" && client.Type == identity.ClientDevice {
		return client, nil
	}
	if !client.HasSecret(c.Secret) {
		return identity.Client{}, oauth.BadClient(c, "Unauthorized")
	}
	return client, nil
}

// deviceClient finds the client and checks that it is of the right type.
func (s *Service) deviceClient(ctx context.Context, c oauth.Client) (identity.Client, error) {
	client, err := s.anyClient(ctx, c)
	if err != nil {
		return identity.Client{}, err
	}
	if client.Type != identity.ClientDevice {
		return identity.Client{}, oauth.BadClient(c, "The client is not of the type for devices with limited input.")
	}
	return client, nil
}

// Token redeems a device code. The secret is required although devices cannot
// keep one: the contract says so.
func (s *Service) Token(ctx context.Context, c oauth.Client, deviceCode string) (grants.Tokens, error) {
	client, err := s.deviceClient(ctx, c)
	if err != nil {
		return grants.Tokens{}, err
	}
	if !client.HasSecret(c.Secret) {
		return grants.Tokens{}, oauth.BadClient(c, "Unauthorized")
	}
	if deviceCode == "" {
		return grants.Tokens{}, oauth.BadRequest("device_code is missing")
	}
	poll := grants.Poll{Service: Name, ClientID: client.ID, Code: deviceCode, Style: c.Style()}
	tokens, err := s.grants.PollDevice(ctx, poll, s.issue())
	return tokens, fromGrant(err)
}

// Refresh gives a new access token. The refresh token stays as it is: the contract
// lets it live until the user revokes access or it expires.
func (s *Service) Refresh(
	ctx context.Context, c oauth.Client, secret string, scopes []string,
) (grants.Tokens, error) {
	client, err := s.provenClient(ctx, c)
	if err != nil {
		return grants.Tokens{}, err
	}
	if secret == "" {
		return grants.Tokens{}, oauth.BadRequest("refresh_token is missing")
	}
	tokens, err := s.grants.Refresh(ctx, grants.RefreshRequest{
		Service: Name, ClientID: client.ID, Secret: secret, Scopes: scopes,
	}, s.issue())
	return tokens, fromRefresh(err)
}

// Revoke ends the token and everything from the same grant. Unknown tokens are
// no error (RFC 7009 section 2.2).
func (s *Service) Revoke(ctx context.Context, secret string) error {
	if secret == "" {
		return oauth.BadRequest("token is missing")
	}
	err := s.grants.Revoke(ctx, secret)
	if err != nil && !errors.Is(err, identity.ErrUnknown) {
		return fmt.Errorf("revoke: %w", err)
	}
	return nil
}

// issue describes the tokens of an approved flow. They open the services that own
// the granted scopes.
func (s *Service) issue() grants.Issue {
	return grants.Issue{
		ForScopes: true, AccessTTL: s.config.AccessTTL, RefreshTTL: s.config.RefreshTTL, Refresh: true,
	}
}

// fromGrant translates the failure of a poll.
func fromGrant(err error) error {
	refused := func(code oauth.Code, description string) error {
		return &oauth.Error{Code: code, Description: description}
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, grants.ErrPending):
		return refused(oauth.Pending, "Precondition Required")
	case errors.Is(err, grants.ErrTooSoon):
		return refused(oauth.SlowDown, "Forbidden")
	case errors.Is(err, grants.ErrDenied):
		return refused(oauth.Denied, "Forbidden")
	case errors.Is(err, grants.ErrExpired):
		return refused(oauth.Expired, "The code has expired. Start again with a new one.")
	case errors.Is(err, grants.ErrPolicy):
		return refused(oauth.Policy, "The account cannot authorize these scopes because of its administrator's policy.")
	case errors.Is(err, grants.ErrInternal):
		return refused(oauth.OrgInternal, "The client is limited to accounts of its organization.")
	case errors.Is(err, identity.ErrInvalid):
		return refused(oauth.InvalidScope, err.Error())
	case errors.Is(err, grants.ErrUnknown),
		errors.Is(err, grants.ErrClaimed),
		errors.Is(err, grants.ErrMismatch):
		return refused(oauth.InvalidGrant, "Malformed auth code.")
	}
	return fmt.Errorf("redeem code: %w", err)
}

// fromRefresh translates the failure of a refresh.
func fromRefresh(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, identity.ErrInvalid):
		return &oauth.Error{Code: oauth.InvalidScope, Description: err.Error()}
	case errors.Is(err, identity.ErrUnknown), errors.Is(err, identity.ErrRevoked),
		errors.Is(err, identity.ErrExpired), errors.Is(err, identity.ErrDisabled):
		return &oauth.Error{Code: oauth.InvalidGrant, Description: "Token has been expired or revoked."}
	}
	return fmt.Errorf("refresh: %w", err)
}

// maxVerificationURL is how many characters the contract gives the page's address.
const maxVerificationURL = 40

// verificationURL is the page's address. Where the one that was asked is too long
// it names the world's own port.
func (s *Service) verificationURL(ctx context.Context) string {
	const page = "/device"
	if s.config.VerificationURL != "" {
		return s.config.VerificationURL
	}
	if asked := s.world.URL(ctx) + page; len(asked) <= maxVerificationURL {
		return asked
	}
	return s.world.OwnURL(ctx) + page
}
