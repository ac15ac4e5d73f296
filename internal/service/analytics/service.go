package analytics

import (
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/world"
)

// Name is the service's one name everywhere.
const Name = "analytics"

// Service is the analytics API.
type Service struct {
	world  *world.World
	people *identity.Identity
	config Config
}

// New builds the service. It keeps what it is given and touches no store.
func New(w *world.World, people *identity.Identity, c Config) *Service {
	return &Service{world: w, people: people, config: c}
}

// Module describes the service to the roof.
func (s *Service) Module() module.Module {
	roof := route.NewRoof(route.New(s.dataOptions(), s.dataRoutes()))
	oauth := route.New(s.oauthOptions(), s.oauthRoutes())
	roof.Prefix("/dag", oauth)
	roof.Prefix("/oauth2", oauth)
	return module.Module{
		Name: Name, Title: "Analytics", Letter: "K",
		Prefixes: []string{"/dag", "/oauth2", "/apis/v4"},
		Handler:  roof,
		Routes:   append(s.oauthRoutes(), s.dataRoutes()...),
		Scopes:   scopes(),
		Example: module.Example{
			Credential: "STOA_URL",
			Shell:      `curl -d "scope=user.id" "$STOA_URL/dag/device/code"`,
		},
	}
}
