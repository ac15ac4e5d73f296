package device

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/authorize"
	"stoa.dev/stoa/internal/platform/oauth"
)

// codeTTL is how long an authorization code waits to be exchanged.
const codeTTL = 10 * time.Minute

// maxNonce bounds what is kept for the id token.
const maxNonce = 512

// The values of prompt (OpenID Connect Core section 3.1.2.1).
const (
	promptNone    = "none"
	promptLogin   = "login"
	promptConsent = "consent"
	promptAccount = "select_account"
)

// The refusals of OpenID Connect Core section 3.1.2.6.
const (
	loginRequired          oauth.Code = "login_required"
	consentRequired        oauth.Code = "consent_required"
	requestNotSupported    oauth.Code = "request_not_supported"
	requestURINotSupported oauth.Code = "request_uri_not_supported"
)

// Visit is a browser at the authorization endpoint.
type Visit struct {
	Request authorize.Request
	// Issuer is the address it came to, and SignedIn whether a user is signed in.
	Issuer   string
	SignedIn bool
}

// Authorize checks what a browser brings. An error comes with an authorization when
// the address is one that the application registered.
func (s *Service) Authorize(ctx context.Context, v Visit) (*identity.Authorization, error) {
	r := v.Request
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
		Challenge: r.Challenge, Nonce: r.Values.Get("nonce"), Issuer: v.Issuer, CodeTTL: codeTTL,
	}
	if err := errors.Join(checkUnsupported(r), r.Check(client)); err != nil {
		return a, err
	}
	if a.Scopes = strings.Fields(r.Scope); len(a.Scopes) == 0 {
		return a, oauth.BadRequest("scope is missing")
	}
	if _, err := s.identity.RequestedScopes(ctx, client, Name, a.Scopes); errors.Is(err, identity.ErrInvalid) {
		return a, &oauth.Error{Code: oauth.InvalidScope, Description: err.Error()}
	} else if err != nil {
		return a, fmt.Errorf("scopes of the request: %w", err)
	}
	a.SignInAfter, err = s.signInAfter(v)
	return a, err
}

// checkUnsupported refuses what would change the meaning of a request if it were
// ignored.
func checkUnsupported(r authorize.Request) error {
	switch mode := r.Values.Get("response_mode"); {
	case r.Values.Has("request"):
		return &oauth.Error{Code: requestNotSupported, Description: "request objects are not supported"}
	case r.Values.Has("request_uri"):
		return &oauth.Error{Code: requestURINotSupported, Description: "request_uri is not supported"}
	case mode != "" && mode != "query":
		return oauth.BadRequest("response_mode must be query")
	case len(r.Values.Get("nonce")) > maxNonce:
		return oauth.BadRequest("nonce has at most " + strconv.Itoa(maxNonce) + " characters")
	}
	return nil
}

// signInAfter is the time from which on a sign-in counts, from prompt and max_age;
// zero means any. Users are always asked, so a request that forbids asking is refused.
func (s *Service) signInAfter(v Visit) (time.Time, error) {
	now := s.world.Clock.Now().UTC().Truncate(time.Microsecond)
	prompts := strings.Fields(v.Request.Values.Get("prompt"))
	for _, p := range prompts {
		if !slices.Contains([]string{promptNone, promptLogin, promptConsent, promptAccount}, p) {
			return time.Time{}, oauth.BadRequest("prompt has an unknown value")
		}
	}
	switch {
	case slices.Contains(prompts, promptNone) && len(prompts) > 1:
		return time.Time{}, oauth.BadRequest("prompt none stands alone")
	case slices.Contains(prompts, promptNone) && v.SignedIn:
		return time.Time{}, &oauth.Error{Code: consentRequired, Description: "The user has to be asked."}
	case slices.Contains(prompts, promptNone):
		return time.Time{}, &oauth.Error{Code: loginRequired, Description: "The user has to sign in."}
	case slices.Contains(prompts, promptLogin), slices.Contains(prompts, promptAccount):
		return now, nil
	}
	text := v.Request.Values.Get("max_age")
	if text == "" {
		return time.Time{}, nil
	}
	age, err := strconv.ParseInt(text, 10, 32)
	if err != nil || age < 0 {
		return time.Time{}, oauth.BadRequest("max_age must be a number of seconds")
	}
	return now.Add(-time.Duration(age) * time.Second), nil
}
