package oauthapps

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/authorize"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/oauth"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/events/operation"
)

// Lifetimes and the pace of polling.
const (
	codeTTL    = 10 * time.Minute
	deviceTTL  = 15 * time.Minute
	interval   = 5 * time.Second
	appTTL     = 8 * time.Hour
	refreshTTL = 184 * 24 * time.Hour
)

// Limits of one network in a minute: requests of the flows, and started device flows.
const (
	maxRequests = 600
	maxCodes    = 60
)

// Apps is the applications that act for users.
type Apps struct {
	world   *world.World
	host    operation.Host
	grants  *grants.Grants
	service string
}

// New makes the flows of a service.
func New(w *world.World, host operation.Host, g *grants.Grants, service string) *Apps {
	return &Apps{world: w, host: host, grants: g, service: service}
}

// The refusals in the host's words.
const (
	badClient     oauth.Code = "incorrect_client_credentials"
	badRedirect   oauth.Code = "redirect_uri_mismatch"
	badCode       oauth.Code = "bad_verification_code"
	badDeviceCode oauth.Code = "incorrect_device_code"
	noDeviceFlow  oauth.Code = "device_flow_disabled"
	badRefresh    oauth.Code = "bad_refresh_token"
	unknownGrant  oauth.Code = "unsupported_grant_type"
	expiredToken  oauth.Code = "expired_token"
)

func refuse(code oauth.Code, text string) error { return &oauth.Error{Code: code, Description: text} }

// scopes are the permissions that a request asks for.
func (a *Apps) scopes(text string) []string {
	known := map[string]bool{}
	for _, s := range a.host.Identity.GrantableScopes(a.service) {
		known[s.Name] = true
	}
	return requested(text, func(name string) bool { return known[name] })
}

// authorize checks what a browser brings. An error comes with an authorization when the
// address is one that the application registered.
func (a *Apps) authorize(ctx context.Context, q url.Values) (*identity.Authorization, error) {
	r, err := authorize.Read(q)
	if err != nil {
		return nil, err
	}
	client, err := a.host.Identity.Client(ctx, r.ClientID)
	if errors.Is(err, identity.ErrNotFound) {
		return nil, &oauth.Error{Code: oauth.InvalidClient, Description: "The application is unknown: check client_id."}
	}
	if err != nil {
		return nil, fmt.Errorf("find client: %w", err)
	}
	if r.RedirectURI == "" && len(client.RedirectURIs) > 0 {
		r.RedirectURI = client.RedirectURIs[0]
	}
	if !client.HasRedirect(r.RedirectURI) {
		return nil, oauth.BadRequest("The application did not register this redirect_uri.")
	}
	out := &identity.Authorization{
		Service: a.service, ClientID: client.ID, RedirectURI: r.RedirectURI, State: r.State, HasState: r.HasState,
		Challenge: r.Challenge, Scopes: a.scopes(r.Scope), CodeTTL: codeTTL,
		CodeFormat: identity.Format{Alphabet: "0123456789abcdef", Length: 40},
	}
	if r.ResponseType == "" {
		r.ResponseType = "code" // this host's clients do not send it
	}
	if err := r.Check(client); err != nil {
		return out, err
	}
	return out, a.checkScopes(ctx, client, out.Scopes)
}

// checkScopes refuses what the client was not registered for.
func (a *Apps) checkScopes(ctx context.Context, client identity.Client, scopes []string) error {
	_, err := a.host.Identity.RequestedScopes(ctx, client, a.service, scopes)
	if errors.Is(err, identity.ErrInvalid) {
		return &oauth.Error{Code: oauth.InvalidScope, Description: err.Error()}
	}
	return err
}

// startDevice begins a device flow.
func (a *Apps) startDevice(ctx context.Context, network string, form url.Values) (grants.DeviceStart, error) {
	client, err := a.host.Identity.Client(ctx, form.Get("client_id"))
	switch {
	case errors.Is(err, identity.ErrNotFound):
		return grants.DeviceStart{}, refuse(badClient, "The client_id passed is incorrect.")
	case err != nil:
		return grants.DeviceStart{}, err
	case client.Type != identity.ClientDevice:
		return grants.DeviceStart{}, refuse(noDeviceFlow, "Device Flow must be explicitly enabled for this App")
	}
	codes := limit.Window{Name: a.service + ".device_codes", Limit: maxCodes, Per: time.Minute}
	if _, err := a.world.Limits.Take(ctx, codes, client.ID+" "+network, 1); err != nil {
		return grants.DeviceStart{}, err
	}
	scopes := a.scopes(form.Get("scope"))
	if err := a.checkScopes(ctx, client, scopes); err != nil {
		return grants.DeviceStart{}, err
	}
	return a.grants.StartDevice(ctx, grants.DeviceRequest{
		Service: a.service, ClientID: client.ID, Scopes: scopes, TTL: deviceTTL, Interval: interval,
		Format: identity.Format{Alphabet: "0123456789abcdef", Length: 40},
	})
}

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

// token exchanges what a form presents.
func (a *Apps) token(ctx context.Context, c oauth.Client, form url.Values) (grants.Tokens, error) {
	client, err := a.host.Identity.Client(ctx, c.ID)
	if errors.Is(err, identity.ErrNotFound) {
		return grants.Tokens{}, errClient()
	}
	if err != nil {
		return grants.Tokens{}, err
	}
	// A device keeps no secret; its code is the proof.
	if public := client.Type == identity.ClientDevice && c.Secret == ""; !public && !client.HasSecret(c.Secret) {
		return grants.Tokens{}, errClient()
	}
	switch kind := form.Get("grant_type"); kind {
	case deviceGrant:
		tokens, err := a.grants.PollDevice(ctx, grants.Poll{
			Service: a.service, ClientID: client.ID, Code: form.Get("device_code"), Style: c.Style(),
		}, issue(client))
		return tokens, fromPoll(err)
	case "refresh_token":
		tokens, err := a.grants.Refresh(ctx, grants.RefreshRequest{
			Service: a.service, ClientID: client.ID, Secret: form.Get("refresh_token"),
		}, issue(client))
		return tokens, fromRefresh(err)
	case "", "authorization_code":
		return a.redeem(ctx, client, form)
	default:
		return grants.Tokens{}, refuse(unknownGrant, "The grant_type is not one of this server.")
	}
}

func (a *Apps) redeem(ctx context.Context, client identity.Client, form url.Values) (grants.Tokens, error) {
	if form.Get("code") == "" {
		return grants.Tokens{}, refuse(badCode, "The code passed is incorrect or expired.")
	}
	r := grants.Redemption{
		Service: a.service, ClientID: client.ID, Code: form.Get("code"), Verifier: form.Get("code_verifier"),
	}
	if to := form.Get("redirect_uri"); to != "" {
		if !client.HasRedirect(to) {
			return grants.Tokens{}, refuse(badRedirect,
				"The redirect_uri MUST match the registered callback URL for this application.")
		}
		r.RedirectURI = &to
	}
	tokens, err := a.grants.RedeemCode(ctx, r, issue(client))
	switch {
	case err == nil:
		return tokens, nil
	case errors.Is(err, grants.ErrUnknown), errors.Is(err, grants.ErrClaimed), errors.Is(err, grants.ErrExpired),
		errors.Is(err, grants.ErrMismatch), errors.Is(err, grants.ErrDenied):
		return tokens, refuse(badCode, "The code passed is incorrect or expired.")
	}
	return tokens, err
}

// issue says what tokens a client gets.
func issue(c identity.Client) grants.Issue {
	if c.Type == identity.ClientApp {
		return grants.Issue{AccessTTL: appTTL, RefreshTTL: refreshTTL, Refresh: true, Rotate: true}
	}
	return grants.Issue{}
}

func errClient() error {
	return refuse(badClient, "The client_id and/or client_secret passed are incorrect.")
}

// fromPoll translates the failure of a poll.
func fromPoll(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, grants.ErrPending):
		return refuse(oauth.Pending, "The authorization request is still pending.")
	case errors.Is(err, grants.ErrTooSoon):
		return refuse(oauth.SlowDown, "Too many requests have been made in the same timeframe.")
	case errors.Is(err, grants.ErrDenied), errors.Is(err, grants.ErrPolicy), errors.Is(err, grants.ErrInternal):
		return refuse(oauth.Denied, "The authorization request was denied.")
	case errors.Is(err, grants.ErrExpired):
		return refuse(expiredToken, "This 'device_code' has expired.")
	case errors.Is(err, grants.ErrUnknown), errors.Is(err, grants.ErrClaimed), errors.Is(err, grants.ErrMismatch):
		return refuse(badDeviceCode, "The device_code provided is not valid.")
	}
	return err
}

// fromRefresh translates the failure of a refresh.
func fromRefresh(err error) error {
	switch {
	case errors.Is(err, identity.ErrUnknown), errors.Is(err, identity.ErrRevoked), errors.Is(err, identity.ErrExpired),
		errors.Is(err, identity.ErrDisabled), errors.Is(err, identity.ErrInvalid):
		return refuse(badRefresh, "The refresh token passed is incorrect or expired.")
	}
	return err
}
