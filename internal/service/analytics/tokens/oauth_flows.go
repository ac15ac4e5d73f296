package tokens

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/authorize"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/oauth"
	"stoa.dev/stoa/internal/platform/world"
)

// codeTTL is how long an authorization code waits to be exchanged.
const codeTTL = 10 * time.Minute

// grantType is the value of grant_type.
type grantType string

const (
	grantDevice  grantType = "urn:ietf:params:oauth:grant-type:device_code"
	grantCode    grantType = "authorization_code"
	grantRefresh grantType = "refresh_token"
)

// Config is what the flows of a service promise.
type Config struct {
	// Service is the name that tokens are issued for, and DefaultScope what a
	// grant is for when the client names no scope.
	Service, DefaultScope string
	// CodeTTL and Interval are what a device is told.
	CodeTTL, Interval     time.Duration
	AccessTTL, RefreshTTL time.Duration
	// RefreshGrace is how long a used refresh token gives the same pair again.
	RefreshGrace time.Duration
	// CodesPerMinute is how many device flows one network may start, and
	// RequestsPerMinute how often it may call each other operation.
	CodesPerMinute, RequestsPerMinute int64
}

// Flows are the grants by which clients get tokens.
type Flows struct {
	world    *world.World
	identity *identity.Identity
	grants   *grants.Grants
	config   Config
}

// New makes the flows of a service.
func New(w *world.World, identity *identity.Identity, grants *grants.Grants, c Config) *Flows {
	return &Flows{world: w, identity: identity, grants: grants, config: c}
}

// startDevice starts a device flow. The contract knows no client here; a registered
// one that names itself has codes of its own, any other name means nothing.
func (f *Flows) startDevice(
	ctx context.Context, c oauth.Client, scopes []string, network string,
) (grants.DeviceStart, error) {
	scopes, err := f.ownScopes(ctx, scopes)
	if err != nil {
		return grants.DeviceStart{}, err
	}
	clientID, err := f.namedClient(ctx, c)
	if err != nil {
		return grants.DeviceStart{}, err
	}
	window := limit.Window{Name: f.config.Service + ".codes", Limit: f.config.CodesPerMinute, Per: time.Minute}
	if _, err := f.world.Limits.Take(ctx, window, network, 1); err != nil {
		return grants.DeviceStart{}, err
	}
	start, err := f.grants.StartDevice(ctx, grants.DeviceRequest{
		Service: f.config.Service, ClientID: clientID, Scopes: scopes, TTL: f.config.CodeTTL, Interval: f.config.Interval,
		Format: identity.Format{Alphabet: identity.Hex, Length: 64},
	})
	if errors.Is(err, identity.ErrInvalid) {
		return grants.DeviceStart{}, errScope()
	}
	if err != nil {
		return grants.DeviceStart{}, fmt.Errorf("start device flow: %w", err)
	}
	return start, nil
}

// ownScopes checks that the scopes are this service's and fills in the default.
func (f *Flows) ownScopes(ctx context.Context, written []string) ([]string, error) {
	if len(written) == 0 {
		return []string{f.config.DefaultScope}, nil
	}
	own := f.identity.AllScopes(f.config.Service)
	for _, w := range written {
		scope, err := f.identity.Expand(ctx, w)
		if err != nil || !slices.ContainsFunc(own, func(o identity.Scope) bool { return o.Name == scope.Name }) {
			return nil, errCode(oauth.InvalidScope, "A scope is unknown. Known ones are in the documentation.")
		}
	}
	return written, nil
}

// namedClient is the registered client that names itself where the flow needs none;
// empty for any other name, which clients of RFC 8628 have to send. A wrong secret of
// a registered client is refused.
func (f *Flows) namedClient(ctx context.Context, c oauth.Client) (string, error) {
	if c.ID == "" {
		return "", nil
	}
	client, err := f.identity.Client(ctx, c.ID)
	switch {
	case errors.Is(err, identity.ErrNotFound):
		return "", nil
	case err != nil:
		return "", err
	case c.Secret != "" && !client.HasSecret(c.Secret):
		return "", errClient(c)
	}
	return client.ID, nil
}

// redeemDevice exchanges a device code for tokens.
func (f *Flows) redeemDevice(ctx context.Context, c oauth.Client, deviceCode string) (grants.Tokens, error) {
	if deviceCode == "" {
		return grants.Tokens{}, oauth.BadRequest("device_code is missing")
	}
	clientID, err := f.namedClient(ctx, c)
	if err != nil {
		return grants.Tokens{}, err
	}
	poll := grants.Poll{Service: f.config.Service, ClientID: clientID, Code: deviceCode, Style: c.Style()}
	tokens, err := f.grants.PollDevice(ctx, poll, f.issue())
	return tokens, fromGrant(err)
}

// authorize checks what the browser brings. An error comes with an
// authorization when the address is one that the application registered.
func (f *Flows) authorize(ctx context.Context, r authorize.Request) (*identity.Authorization, error) {
	client, err := f.identity.Client(ctx, r.ClientID)
	if errors.Is(err, identity.ErrNotFound) {
		return nil, errCode(oauth.InvalidClient, "The application is unknown: check client_id.")
	}
	if err != nil {
		return nil, fmt.Errorf("find client: %w", err)
	}
	if !client.HasRedirect(r.RedirectURI) {
		return nil, oauth.BadRequest("The application did not register this redirect_uri.")
	}
	a := &identity.Authorization{
		Service: f.config.Service, ClientID: client.ID, RedirectURI: r.RedirectURI,
		State: r.State, HasState: r.HasState, Challenge: r.Challenge,
		CodeTTL: codeTTL, CodeFormat: identity.Format{Alphabet: identity.Alphanumeric, Length: 40},
	}
	if err := r.Check(client); err != nil {
		return a, err
	}
	if a.Scopes, err = f.ownScopes(ctx, splitScopes(r.Scope)); err != nil {
		return a, err
	}
	if _, err := f.identity.RequestedScopes(ctx, client, f.config.Service, a.Scopes); err != nil {
		return a, errScope()
	}
	return a, nil
}

func errCode(code oauth.Code, description string) *oauth.Error {
	return &oauth.Error{Code: code, Description: description}
}

func errClient(c oauth.Client) *oauth.Error {
	return oauth.BadClient(c, "The client is unknown or its secret is wrong.")
}

func errScope() error {
	return errCode(oauth.InvalidScope, "A scope is not one that the application may ask for.")
}

// redeemCode exchanges an authorization code for tokens.
func (f *Flows) redeemCode(
	ctx context.Context, c oauth.Client, code, redirectURI, verifier string,
) (grants.Tokens, error) {
	client, err := f.client(ctx, c)
	if err != nil {
		return grants.Tokens{}, err
	}
	if code == "" {
		return grants.Tokens{}, oauth.BadRequest("code is missing")
	}
	if redirectURI == "" {
		return grants.Tokens{}, oauth.BadRequest("redirect_uri is missing")
	}
	tokens, err := f.grants.RedeemCode(ctx, grants.Redemption{
		Service: f.config.Service, ClientID: client.ID, Code: code, RedirectURI: &redirectURI, Verifier: verifier,
	}, f.issue())
	return tokens, fromGrant(err)
}

// client finds the client and checks its secret. Clients that cannot keep a secret may
// leave it out: their proof is the proof key.
func (f *Flows) client(ctx context.Context, c oauth.Client) (identity.Client, error) {
	if c.ID == "" {
		return identity.Client{}, oauth.BadRequest("client_id is missing")
	}
	client, err := f.identity.Client(ctx, c.ID)
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

// refresh exchanges a refresh token for a new pair. A token of the device grant
// belongs to no client and can be refreshed without one, or under the name that the
// device gave itself (K-N5).
func (f *Flows) refresh(ctx context.Context, c oauth.Client, secret string, scopes []string) (grants.Tokens, error) {
	if secret == "" {
		return grants.Tokens{}, oauth.BadRequest("refresh_token is missing")
	}
	request := grants.RefreshRequest{Service: f.config.Service, Secret: secret, Scopes: scopes}
	client, refused := f.client(ctx, c)
	if refused == nil {
		request.ClientID = client.ID
	} else if named, err := f.namedClient(ctx, c); err != nil || named != "" || c.ID == "" && c.Secret != "" {
		// A registered client proves itself.
		return grants.Tokens{}, errors.Join(err, refused)
	}
	tokens, err := f.grants.Refresh(ctx, request, f.issue())
	if errors.Is(err, identity.ErrUnknown) && request.ClientID != "" {
		request.ClientID = ""
		tokens, err = f.grants.Refresh(ctx, request, f.issue())
	}
	if errors.Is(err, identity.ErrUnknown) && c.ID != "" && refused != nil {
		return grants.Tokens{}, refused
	}
	return tokens, fromRefresh(err)
}

// issue is the lives of the tokens that a grant becomes.
func (f *Flows) issue() grants.Issue {
	return grants.Issue{
		AccessTTL: f.config.AccessTTL, RefreshTTL: f.config.RefreshTTL, Refresh: true,
		Rotate: true, Grace: f.config.RefreshGrace,
	}
}

// fromGrant translates the failure of a redemption.
func fromGrant(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, grants.ErrPending):
		return errCode(oauth.Pending, "Precondition Required")
	case errors.Is(err, grants.ErrTooSoon):
		return errCode(oauth.SlowDown, "Forbidden")
	case errors.Is(err, grants.ErrDenied):
		return errCode(oauth.Denied, "Forbidden")
	case errors.Is(err, grants.ErrExpired):
		return errCode(oauth.Expired, "The code has expired. Start again with a new one.")
	case errors.Is(err, grants.ErrPolicy):
		return errCode(oauth.Policy, "The account cannot authorize these scopes because of its administrator's policy.")
	case errors.Is(err, grants.ErrInternal):
		return errCode(oauth.OrgInternal, "The client is limited to accounts of its organization.")
	case errors.Is(err, identity.ErrInvalid):
		return errScope()
	case errors.Is(err, grants.ErrUnknown), errors.Is(err, grants.ErrClaimed),
		errors.Is(err, grants.ErrMismatch):
		return errCode(oauth.InvalidGrant, "The code is unknown, used, or of another client, address or proof key.")
	}
	return fmt.Errorf("redeem a grant: %w", err)
}

// fromRefresh translates the failure of a refresh.
func fromRefresh(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, identity.ErrInvalid):
		return errCode(oauth.InvalidScope, "A scope was not granted.")
	case errors.Is(err, identity.ErrUnknown), errors.Is(err, identity.ErrRevoked),
		errors.Is(err, identity.ErrExpired), errors.Is(err, identity.ErrDisabled):
		return errCode(oauth.InvalidGrant, "The refresh token is unknown, used, revoked or expired.")
	}
	return fmt.Errorf("refresh: %w", err)
}
