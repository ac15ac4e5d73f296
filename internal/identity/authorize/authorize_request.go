package authorize

import (
	"net/url"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/platform/oauth"
	"stoa.dev/stoa/internal/platform/route"
)

// Request is what the browser brings.
type Request struct {
	ClientID, RedirectURI, ResponseType, Scope string
	// State goes back unchanged; HasState tells an empty one from none.
	State    string
	HasState bool
	// Challenge and ChallengeMethod are the proof key (RFC 7636).
	Challenge, ChallengeMethod string
	// Values are all parameters.
	Values url.Values
}

// Read refuses repeated parameters before it looks at any.
func Read(q url.Values) (Request, error) {
	for name, values := range q {
		if len(values) > 1 {
			return Request{}, oauth.BadRequest(name + " is given more than once")
		}
	}
	return Request{
		ClientID: q.Get("client_id"), RedirectURI: q.Get("redirect_uri"), ResponseType: q.Get("response_type"),
		Scope: q.Get("scope"), State: q.Get("state"), HasState: q.Has("state"),
		Challenge: q.Get("code_challenge"), ChallengeMethod: q.Get("code_challenge_method"), Values: q,
	}, nil
}

// Check refuses what no authorization endpoint takes: another response type than
// code, a proof key that is none, and a client that cannot keep a secret without one:
// anyone who intercepts its code could redeem it.
func (r Request) Check(client identity.Client) error {
	switch {
	case r.ResponseType == "":
		return oauth.BadRequest("response_type is missing")
	case r.ResponseType != "code":
		return &oauth.Error{Code: oauth.UnsupportedResponseType, Description: "response_type must be code"}
	case r.Challenge == "" && r.ChallengeMethod == "":
		if client.Type == identity.ClientDevice {
			return oauth.BadRequest("code_challenge is required of clients that cannot keep a secret")
		}
		return nil
	case r.ChallengeMethod != "S256":
		return oauth.BadRequest("code_challenge_method must be S256")
	case !grants.IsChallenge(r.Challenge):
		return oauth.BadRequest("code_challenge must be 43 base64url characters")
	}
	return nil
}

// Refusal is the page about a request that cannot be put to the user. Every user
// can register an address, so the browser is not sent there by itself: the user
// may follow the link (RFC 9700 section 4.11.2). Without an authorization the address
// is not one that the application registered, and there is no link.
func Refusal(a *identity.Authorization, refused *oauth.Error) identity.Message {
	m := identity.Message{
		Status: refused.Code.Status(), Title: "This application cannot be let in",
		Text: strings.TrimSuffix(refused.Description, ".") + ". Tell its developers; it was given nothing.",
	}
	if a != nil {
		m.ReturnURL = a.RedirectWith(url.Values{
			"error": {string(refused.Code)}, "error_description": {oauth.Plain(refused.Description)},
		})
	}
	return m
}

// AcceptsHTML reports whether the request comes from a browser.
func AcceptsHTML(r *route.Request) bool { return strings.Contains(r.Header.Get("Accept"), "text/html") }
