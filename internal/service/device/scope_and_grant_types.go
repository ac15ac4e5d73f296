package device

import (
	"time"

	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/platform/module"
)

// GrantType is the value of grant_type at the token endpoint.
type GrantType string

// RFC 8628 section 3.4 and RFC 6749 sections 4.1.3 and 6.
const (
	GrantDevice  GrantType = "urn:ietf:params:oauth:grant-type:device_code"
	GrantCode    GrantType = "authorization_code"
	GrantRefresh GrantType = "refresh_token"
)

// The scopes of OpenID Connect.
const (
	scopeOpenID  = "openid"
	scopeEmail   = "email"
	scopeProfile = "profile"
	scopeGroups  = "groups"
)

// Code is a started flow.
type Code struct {
	grants.DeviceStart
	VerificationURL string
	Life, Interval  time.Duration
}

// scopes are those of the contract; any other service's can be asked for too.
func scopes() []module.Scope {
	return []module.Scope{
		{Name: "video", Based: true, Description: "manage your account"},
		{
			Name: "video.channel-memberships.creator", Based: true,
			Description: "see your current members, their level and when they joined",
		},
		{
			Name: "video.force-ssl", Based: true,
			Description: "see, edit and permanently delete your videos, ratings, comments and captions",
		},
		{Name: "video.readonly", Based: true, Description: "see your account"},
		{Name: "video.upload", Based: true, Description: "manage your videos"},
		{Name: "videopartner", Based: true, Description: "see and manage your assets and their content"},
		{
			Name: "videopartner-channel-audit", Based: true,
			Description: "see private information of your channel during an audit",
		},
		{Name: scopeOpenID, Description: "know who you are here"},
		{Name: scopeEmail, Description: "see your email address"},
		{Name: scopeProfile, Description: "see your name"},
		{Name: scopeGroups, Description: "see which organizations and teams you belong to"},
	}
}
