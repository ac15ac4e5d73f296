package labels

import (
	"context"
	"embed"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/labels/conductrules"
	"stoa.dev/stoa/internal/service/labels/consoleresources"
	"stoa.dev/stoa/internal/service/labels/ownedrows"
)

// Name is the configuration key, the label of metrics and the name in scopes and limits.
const Name = "labels"

//go:embed migrations/*.sql
var migrations embed.FS

// Service answers with the configured limits, and keeps labels within them.
type Service struct {
	world    *world.World
	identity *identity.Identity
	config   Config
	// limits are the whole answer, encoded once.
	limits []byte
}

// New makes the service and encodes its answer.
func New(w *world.World, identity *identity.Identity, c Config) *Service {
	return &Service{world: w, identity: identity, config: c, limits: encodeLimits(c)}
}

// Module describes the service to the app.
func (s *Service) Module() module.Module {
	routes := s.routes()
	return module.Module{
		Resources: consoleresources.All(), Owned: ownedrows.All(),
		Name:       Name,
		Title:      "Label limits",
		Letter:     "D",
		Prefixes:   []string{"/v2/limits", "/v2/labels", "/v2/users"},
		Migrations: database.Embedded(Name, migrations),
		Handler:    route.New(s.muxOptions(), routes),
		Conduct:    conductrules.Rules(),
		Faults:     s.faultDefinitions(),
		Routes:     routes,
		API: &module.API{
			Name: s.world.Dialect.Says(dialect.LabelsAPI), Version: "v2", BasePath: "/", BatchParts: 100,
			Required: map[string][]string{"limits.getLabel": {"name"}},
		},
		Scopes:          scopes(),
		DemoCredentials: identity.DemoTokens(),
		Example: module.Example{
			Credential: "STOA_TOKEN",
			Shell:      `curl -H "Authorization: Bearer $STOA_TOKEN" "$STOA_URL/v2/limits/label?name=limits/label"`,
		},
	}
}

// scopes are listed widest first; any one of them suffices.
func scopes() []module.Scope {
	return []module.Scope{
		{Name: "storage.labels", Based: true, Description: "see, edit, create and delete your labels"},
		{Name: "storage.labels.readonly", Based: true, Description: "see your labels"},
		{
			Name: "storage.admin.labels", Based: true,
			Description: "see, edit, create and delete every label of your organization",
		},
		{Name: "storage.admin.labels.readonly", Based: true, Description: "see every label of your organization"},
	}
}

// GetLabel returns the encoded limits. The name is checked here because it is a rule
// of the contract, not of HTTP.
func (s *Service) GetLabel(_ context.Context, name string) ([]byte, error) {
	switch {
	case name == "":
		return nil, errInvalidField("name", "the query parameter name is required and must be %s", LimitsName)
	case name != LimitsName:
		return nil, errInvalidField("name", "the query parameter name must be %s", LimitsName)
	}
	return s.limits, nil
}
