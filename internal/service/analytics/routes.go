package analytics

import (
	"net/http"
	"time"

	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
)

// maxForm is far above any form of this contract.
const maxForm = 64 << 10

// oauthRoutes are the token flows. Clients prove themselves in the form, so no
// route asks for a bearer token.
func (s *Service) oauthRoutes() []route.Route {
	return []route.Route{
		{Method: "POST", Pattern: "/dag/device/code", Name: "dag.device.code", MaxBody: maxForm, Handle: s.handleDeviceCode},
		{Method: "POST", Pattern: "/dag/device/token", Name: "dag.device.token", MaxBody: maxForm, Handle: s.handleDeviceToken},
		{Method: "GET", Pattern: "/dag/auth/verify_code", Name: "dag.auth.verifyCode", Handle: s.handleVerifyCode},
		{Method: "GET", Pattern: "/oauth2/authorize", Name: "oauth2.authorize", Handle: s.handleAuthorize},
		{Method: "GET", Pattern: "/oauth2/success", Name: "oauth2.success", Handle: s.handleSuccess},
		{Method: "POST", Pattern: "/oauth2/access_token", Name: "oauth2.accessToken", MaxBody: maxForm, Handle: s.handleAccessToken},
	}
}

// dataRoutes are the data methods. The last row answers whatever no other row
// knows, after it has asked for a token.
func (s *Service) dataRoutes() []route.Route {
	return []route.Route{
		{Pattern: "/apis/v4/{rest...}", Name: "unknown", Access: route.Required, Handle: handleUnknown},
	}
}

func handleUnknown(http.ResponseWriter, *route.Request) error { return route.ErrNoRoute }

func (s *Service) oauthOptions() route.Options {
	return route.Options{
		Service: Name, WriteError: writeOAuthError,
		Clock: s.world.Clock, IDs: s.world.IDs, Telemetry: s.world.Telemetry,
	}
}

func (s *Service) dataOptions() route.Options {
	return route.Options{
		Service: Name, WriteError: writeError,
		Extract: route.Bearer(), Authenticate: s.people.Authenticator(Name),
		CORS:  &route.CORS{Origins: []string{"*"}, MaxAge: time.Hour},
		Clock: s.world.Clock, IDs: s.world.IDs, Telemetry: s.world.Telemetry,
	}
}

// perMinute bounds the device flows one address starts.
func (s *Service) perMinute() limit.Window {
	return limit.Window{Name: Name + ".codes", Limit: s.config.CodesPerMinute, Per: time.Minute}
}
