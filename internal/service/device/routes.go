package device

import (
	"time"

	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/oauth"
	"stoa.dev/stoa/internal/platform/route"
)

// maxBody is far above any form of this contract.
const maxBody = 64 << 10

// routes is the operation table of the contract. Clients prove themselves in
// the form, so no route asks for a bearer token.
func (s *Service) routes() []route.Route {
	return []route.Route{
		{Method: "POST", Pattern: "/device/code", Name: "device.code", MaxBody: maxBody, Handle: s.handleCode},
		{Method: "POST", Pattern: "/token", Name: "token", MaxBody: maxBody, Handle: s.handleToken},
		{Method: "POST", Pattern: "/revoke", Name: "revoke", MaxBody: maxBody, Handle: s.handleRevoke},
		{Method: "GET", Pattern: "/.well-known/openid-configuration", Name: "discovery", Handle: s.handleDiscovery},
		{Method: "GET", Pattern: "/.well-known/oauth-authorization-server", Name: "discovery", Handle: s.handleDiscovery},
	}
}

func (s *Service) muxOptions() route.Options {
	return route.Options{
		Service:    Name,
		WriteError: oauth.WriteError,
		CORS:       &route.CORS{Origins: []string{"*"}, MaxAge: time.Hour},
		Clock:      s.world.Clock,
		IDs:        s.world.IDs,
		Memory:     s.world.Memory,
		Requests:   s.world.Requests,
		Telemetry:  s.world.Telemetry,
	}
}

// perMinute bounds the flows one client starts.
func (s *Service) perMinute() limit.Window {
	return limit.Window{Name: Name + ".codes", Limit: s.config.CodesPerMinute, Per: time.Minute}
}
