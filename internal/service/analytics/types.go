package analytics

import (
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/module"
)

// GrantType is the value of grant_type.
type GrantType string

// The grant types that are served.
const (
	GrantDevice  GrantType = "urn:ietf:params:oauth:grant-type:device_code"
	GrantCode    GrantType = "authorization_code"
	GrantRefresh GrantType = "refresh_token"
)

// DeviceCode is a started device flow.
type DeviceCode struct {
	identity.DeviceStart
	VerificationURI string
	Life, Interval  time.Duration
}

// AuthorizeRequest is what the browser brings to /oauth2/authorize.
type AuthorizeRequest struct {
	ClientID, RedirectURI, ResponseType string
	Scopes                              []string
	State                               string
	HasState                            bool
	Challenge, ChallengeMethod          string
}

// ScopeUserID is what every grant has at least.
const ScopeUserID = "user.id"

// scopes are those that the contract and its public documentation name.
func scopes() []module.Scope {
	return []module.Scope{
		{Name: ScopeUserID, Words: "see who you are, and work with your projects, listings and campaigns"},
		{Name: "siteaudit.info", Words: "see your site audits"},
	}
}
