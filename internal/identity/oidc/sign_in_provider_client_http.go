package oidc

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/outbound"
)

// Options is what a Provider is built on.
type Options struct {
	Config Config
	Clock  clock.Clock
	Gate   *outbound.Gate
	// Key derives proof keys and nonces; every process on one database has the same.
	Key []byte
}

// Provider is where users sign in. It is safe for concurrent use.
type Provider struct {
	config Config
	clock  clock.Clock
	key    []byte
	secret string
	http   *http.Client

	mu           sync.Mutex
	discovered   *discovery
	discoveredAt time.Time
	// failure is why the last try at discovered at failedAt gave nothing.
	failure  error
	failedAt time.Time
}

// discovery is what the provider says about itself.
type discovery struct {
	*oidc.Provider
	// issuerInAnswer means that answers name the issuer (RFC 9207).
	issuerInAnswer bool
	// style is how the client proves itself.
	style oauth2.AuthStyle
}

// discoveryTTL is how long the discovery document is used; keys are fetched again
// whenever a token names one that is not known.
const discoveryTTL = time.Hour

// failureTTL is how long a provider that did not answer is left alone.
const failureTTL = 5 * time.Second

// New makes the provider of the configuration; nil when there is none, or when the
// server is offline and the provider is not on this machine.
func New(o Options) (*Provider, error) {
	if o.Config.Issuer == "" || o.Config.Offline(o.Gate) {
		return nil, nil
	}
	client, err := newClient(o.Gate, o.Config.CAFile)
	if err != nil {
		return nil, err
	}
	secret, err := o.Config.secret()
	if err != nil {
		return nil, fmt.Errorf("identity.oidc.client_secret_file: %w", err)
	}
	return &Provider{config: o.Config, clock: o.Clock, key: o.Key, secret: secret, http: client}, nil
}

// Name is what the sign-in page calls the provider.
func (p *Provider) Name() string {
	if p.config.Name != "" {
		return p.config.Name
	}
	u, err := url.Parse(p.config.Issuer)
	if err != nil {
		return p.config.Issuer
	}
	return u.Host
}

// Issuer is the address of the provider.
func (p *Provider) Issuer() string { return p.config.Issuer }

// Close ends the connections that are kept open.
func (p *Provider) Close() { p.http.CloseIdleConnections() }

// StartURL is where the browser goes to sign in. The state is random and comes back
// with the answer, to the address back.
func (p *Provider) StartURL(ctx context.Context, state, back string) (string, error) {
	d, err := p.discover(ctx)
	if err != nil {
		return "", err
	}
	return p.oauth(d, back).AuthCodeURL(state,
		oauth2.S256ChallengeOption(p.derive("proof key", state)), oidc.Nonce(p.derive("nonce", state))), nil
}

// Finish turns the provider's answer, the query of the address back, into an account.
// The caller has compared the state.
func (p *Provider) Finish(ctx context.Context, state, back string, answer url.Values) (Account, error) {
	d, err := p.discover(ctx)
	if err != nil {
		return Account{}, err
	}
	if iss := answer.Get("iss"); iss != p.config.Issuer && (iss != "" || d.issuerInAnswer) {
		return Account{}, notTrusted(fmt.Errorf("the answer comes from %q", iss))
	}
	if code := answer.Get("error"); code != "" {
		return Account{}, refusal(code, answer.Get("error_description"))
	}
	ctx = oidc.ClientContext(ctx, p.http)
	token, err := p.oauth(d, back).Exchange(ctx, answer.Get("code"), oauth2.VerifierOption(p.derive("proof key", state)))
	if err != nil {
		return Account{}, exchangeError(err)
	}
	told, idToken, err := p.verify(ctx, d, token, state)
	if err != nil {
		return Account{}, err
	}
	if err := p.askUserInfo(ctx, d, token, idToken.Subject, told); err != nil {
		return Account{}, err
	}
	a, err := p.config.account(told)
	a.Issuer, a.Subject = p.config.Issuer, idToken.Subject
	return a, err
}

// verify reads the id token of an answer.
func (p *Provider) verify(
	ctx context.Context, d *discovery, token *oauth2.Token, state string,
) (claims, *oidc.IDToken, error) {
	raw, _ := token.Extra("id_token").(string)
	if raw == "" {
		return nil, nil, notTrusted(errors.New("the provider gave no id token"))
	}
	idToken, err := d.Verifier(&oidc.Config{ClientID: p.config.ClientID, Now: p.clock.Now}).Verify(ctx, raw)
	if err != nil {
		return nil, nil, notTrusted(err)
	}
	told := claims{}
	if err := idToken.Claims(&told); err != nil {
		return nil, nil, notTrusted(err)
	}
	switch party, named := told["azp"]; {
	case subtle.ConstantTimeCompare([]byte(idToken.Nonce), []byte(p.derive("nonce", state))) != 1:
		return nil, nil, notTrusted(errors.New("the id token has the nonce of another sign-in"))
	case len(idToken.Audience) > 1 && !named, named && party != p.config.ClientID:
		return nil, nil, notTrusted(errors.New("the id token was issued to another client"))
	case idToken.Subject == "" || len(idToken.Subject) > 255:
		return nil, nil, notTrusted(errors.New("the id token has no subject of 1 to 255 characters"))
	}
	return told, idToken, nil
}

// askUserInfo adds what the id token left out.
func (p *Provider) askUserInfo(
	ctx context.Context, d *discovery, token *oauth2.Token, subject string, told claims,
) error {
	if p.config.isComplete(told) || d.UserInfoEndpoint() == "" {
		return nil
	}
	info, err := d.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return unavailable(fmt.Errorf("ask userinfo: %w", err))
	}
	if info.Subject != subject {
		return notTrusted(errors.New("userinfo is about another user"))
	}
	more := claims{}
	if err := info.Claims(&more); err != nil {
		return notTrusted(err)
	}
	told.add(more)
	return nil
}

// discover gives the provider's description of itself, which is read once an hour.
func (p *Provider) discover(ctx context.Context) (*discovery, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock.Now()
	switch {
	case p.discovered != nil && now.Before(p.discoveredAt.Add(discoveryTTL)):
		return p.discovered, nil
	case p.failure != nil && now.Before(p.failedAt.Add(failureTTL)):
		return nil, p.failure
	}
	// Callers share what is found, so that one who leaves does not end it for all.
	found, err := p.readDiscovery(context.WithoutCancel(ctx))
	if err != nil {
		p.failure, p.failedAt = unavailable(fmt.Errorf("discovery at %s: %w", p.config.Issuer, err)), p.clock.Now()
		return nil, p.failure
	}
	p.discovered, p.discoveredAt, p.failure = found, now, nil
	return found, nil
}

func (p *Provider) readDiscovery(ctx context.Context) (*discovery, error) {
	found, err := oidc.NewProvider(oidc.ClientContext(ctx, p.http), p.config.Issuer)
	if err != nil {
		return nil, err
	}
	var more struct {
		IssuerInAnswer bool     `json:"authorization_response_iss_parameter_supported"`
		Methods        []string `json:"token_endpoint_auth_methods_supported"`
	}
	if err := found.Claims(&more); err != nil {
		return nil, err
	}
	// The browser is sent there, so no call of ours looks at the address.
	if err := checkAddress(found.Endpoint().AuthURL); err != nil {
		return nil, fmt.Errorf("authorization_endpoint: %w", err)
	}
	// Without a list the method is client_secret_basic (OpenID Connect Discovery 3).
	style := oauth2.AuthStyleInHeader
	if p.secret == "" || len(more.Methods) > 0 && !slices.Contains(more.Methods, "client_secret_basic") {
		style = oauth2.AuthStyleInParams
	}
	return &discovery{found, more.IssuerInAnswer, style}, nil
}

func (p *Provider) oauth(d *discovery, back string) *oauth2.Config {
	endpoint := d.Endpoint()
	endpoint.AuthStyle = d.style
	return &oauth2.Config{
		ClientID: p.config.ClientID, ClientSecret: p.secret, Endpoint: endpoint, RedirectURL: back,
		Scopes: p.config.scopes(),
	}
}

// derive makes the secrets of one sign-in from its state.
func (p *Provider) derive(what, state string) string {
	mac := hmac.New(sha256.New, p.key)
	mac.Write([]byte(what + " of " + state))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// refusal is an answer without a code (RFC 6749 section 4.1.2.1).
func refusal(code, description string) error {
	cause := fmt.Errorf("the provider answered %.100q: %.300q", code, description)
	switch code {
	case "access_denied", "consent_required", "interaction_required", "login_required":
		return &Error{Text: "The sign-in was cancelled.", cause: cause}
	case "temporarily_unavailable", "server_error":
		return unavailable(cause)
	}
	return &Error{Text: "The sign-in provider refused the request. Ask your administrator.", cause: cause}
}

// exchangeError tells a code that is over from a provider that does not answer.
func exchangeError(err error) error {
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) && refused.Response != nil && refused.Response.StatusCode < 500 {
		if refused.ErrorCode == "invalid_grant" {
			return &Error{Text: "This sign-in is over. Start again.", cause: err}
		}
		return &Error{Text: "The sign-in provider refused this server. Ask your administrator.", cause: err}
	}
	return unavailable(err)
}
