package apikeys

import (
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/apikeys/conductrules"
	"stoa.dev/stoa/internal/service/apikeys/consoleresources"
)

// Name is the configuration key, the label of metrics and the name in scopes and limits.
const Name = "apikeys"

// Service exchanges API keys.
type Service struct {
	world    *world.World
	identity *identity.Identity
	config   Config
}

// New makes the service.
func New(w *world.World, identity *identity.Identity, c Config) *Service {
	return &Service{world: w, identity: identity, config: c}
}

// Module describes the service to the app.
func (s *Service) Module() module.Module {
	routes := s.routes()
	return module.Module{
		Resources: consoleresources.All(),
		Name:      Name,
		Title:     "API key refresh",
		Letter:    "L",
		// Other services own parts of /v2; the rest of it belongs to the API that the keys are of.
		Prefixes: []string{"/v2/api-keys", "/v2/me", "/v2"},
		Handler:  route.New(s.muxOptions(), routes),
		Conduct:  conductrules.Rules(),
		Faults:   s.faultDefinitions(),
		Routes:   routes,
		Keys:     []identity.Kind{identity.KindAPI},
		KeyFormat: identity.Format{
			Prefix: s.world.Dialect.Says(dialect.SchedulingKeyPrefix), Alphabet: identity.Hex, Length: 32,
		},
		DemoCredentials: []module.DemoCredential{{Variable: "STOA_SCHEDULING_KEY", Kind: identity.KindAPI}},
		Example: module.Example{
			Credential: "STOA_SCHEDULING_KEY",
			Shell: `curl -X POST -H "Authorization: Bearer $STOA_SCHEDULING_KEY" ` +
				`-H "Content-Type: application/json" -d '{"apiKeyDaysValid":60}' "$STOA_URL/v2/api-keys/refresh"`,
			Note: "replaces the key: works once",
		},
	}
}
