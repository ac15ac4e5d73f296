package labels

import (
	"time"

	"stoa.dev/stoa/internal/platform/apifamily"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/credential"
)

// routes is the operation table of the contract.
func (s *Service) routes() []route.Route {
	return apifamily.Routes([]route.Route{
		{
			Method: "GET", Pattern: "/v2/limits/label", Name: "limits.getLabel",
			Access: route.Required, Scopes: s.anyScope(), Handle: s.handleGetLabel,
		},
	}, map[string]any{"limits.getLabel": labelLimitsJSON{}})
}

func (s *Service) muxOptions() route.Options {
	return apifamily.Options(s.world.RouteOptions(route.Options{
		Service:      Name,
		WriteError:   writeError,
		Extract:      credential.Bearer(),
		Authenticate: s.identity.ScopedAuthenticator(Name, s.anyScope()...),
		Gate:         gate(s.world.Limits, s.perMinute()),
	}))
}

// anyScope names the four scopes as they stand in the registry.
func (s *Service) anyScope() []string {
	var names []string
	for _, scope := range scopes() {
		names = append(names, scope.Name)
	}
	return names
}

func (s *Service) perMinute() limit.Window {
	return limit.Window{Name: Name + ".requests", Limit: s.config.RequestsPerMinute, Per: time.Minute}
}
