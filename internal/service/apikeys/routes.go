package apikeys

import (
	"time"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/credential"
)

// maxBody is far above the two members a request can hold.
const maxBody = 16 << 10

// routes is the operation table of the contract, and whose key it is.
func (s *Service) routes() []route.Route {
	return []route.Route{
		{
			Method: "POST", Pattern: "/v2/api-keys/refresh", Name: "refresh",
			Access: route.Required, MaxBody: maxBody, Handle: s.handleRefresh,
		},
		{Method: "GET", Pattern: "/v2/me", Name: "me", Access: route.Required, Handle: s.handleMe},
	}
}

func (s *Service) muxOptions() route.Options {
	return s.world.RouteOptions(route.Options{
		Service:      Name,
		WriteError:   s.writeError,
		Extract:      credential.Bearer(),
		Authenticate: s.authenticate,
		Before:       s.before,
		Gate:         s.gate,
		CORS:         &route.CORS{MaxAge: 24 * time.Hour},
	})
}
