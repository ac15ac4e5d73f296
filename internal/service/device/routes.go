package device

import (
	"time"

	"stoa.dev/stoa/internal/platform/oauth"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/credential"
)

// maxBody is far above any form of this contract.
const maxBody = 64 << 10

const (
	openIDPath = "/.well-known/openid-configuration"
	oauthPath  = "/.well-known/oauth-authorization-server"

	authorizePath = "/o/oauth2/v2/auth"
	// olderAuthorizePath is what configuration files of installed applications name.
	olderAuthorizePath = "/o/oauth2/auth"
	userInfoPath       = "/v1/userinfo"
	olderUserInfoPath  = "/oauth2/v3/userinfo"
	tokenInfoPath      = "/tokeninfo"
	keysPath           = "/oauth2/v3/certs"
)

// routes is the operation table of the contract, and of OpenID Connect. Clients
// authenticate in the form; a bearer token is asked for where it is the subject.
func (s *Service) routes() []route.Route {
	return []route.Route{
		{Method: "POST", Pattern: "/device/code", Name: "device.code", MaxBody: maxBody, Handle: s.handleCode},
		{Method: "POST", Pattern: "/token", Name: "token", MaxBody: maxBody, Handle: s.handleToken},
		{Method: "POST", Pattern: "/revoke", Name: "revoke", MaxBody: maxBody, Handle: s.handleRevoke},
		{Method: "GET", Pattern: openIDPath, Name: "discovery", Handle: s.handleDiscovery},
		{Method: "GET", Pattern: oauthPath, Name: "discovery", Handle: s.handleDiscovery},
		{Method: "GET", Pattern: authorizePath, Name: "authorize", Handle: s.handleAuthorize},
		{Method: "POST", Pattern: authorizePath, Name: "authorize.form", MaxBody: maxBody, Handle: s.handleAuthorizeForm},
		{Method: "GET", Pattern: olderAuthorizePath, Name: "authorize", Handle: s.handleAuthorize},
		s.userInfo("GET", userInfoPath), s.userInfo("POST", userInfoPath), s.userInfo("GET", olderUserInfoPath),
		{Method: "GET", Pattern: tokenInfoPath, Name: "tokeninfo", Handle: s.handleTokenInfo},
		{Method: "POST", Pattern: tokenInfoPath, Name: "tokeninfo", MaxBody: maxBody, Handle: s.handleTokenInfo},
		{Method: "GET", Pattern: keysPath, Name: "certs", Handle: s.handleKeys},
	}
}

// userInfo is a row that tells the holder of a token about its user.
func (s *Service) userInfo(method, pattern string) route.Route {
	return route.Route{
		Method: method, Pattern: pattern, Name: "userinfo", Access: route.Required,
		Scopes: []string{scopeOpenID, scopeEmail, scopeProfile, scopeGroups}, MaxBody: maxBody, Handle: s.handleUserInfo,
	}
}

func (s *Service) muxOptions() route.Options {
	return s.world.RouteOptions(route.Options{
		Service:      Name,
		WriteError:   oauth.WriteError,
		Extract:      credential.Bearer(),
		Authenticate: s.identity.ScopedAuthenticator(Name, scopeOpenID),
		Gate:         s.gate,
		CORS:         &route.CORS{MaxAge: time.Hour},
	})
}
