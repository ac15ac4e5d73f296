package analytics

import (
	"embed"
	"slices"
	"sync"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/draw"
	"stoa.dev/stoa/internal/platform/memo"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/hostmux"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/analytics/conductrules"
	"stoa.dev/stoa/internal/service/analytics/consoleresources"
	"stoa.dev/stoa/internal/service/analytics/locations"
	"stoa.dev/stoa/internal/service/analytics/ownedrows"
	"stoa.dev/stoa/internal/service/analytics/places"
	"stoa.dev/stoa/internal/service/analytics/ranking"
	"stoa.dev/stoa/internal/service/analytics/tokens"
)

// Name is the service's name in configuration, tables, limits and tokens.
const Name = "analytics"

//go:embed migrations/*.sql
var migrations embed.FS

// Service is the analytics API.
type Service struct {
	world     *world.World
	identity  *identity.Identity
	config    Config
	projects  *memo.Cache[int64, Project]
	tokens    *tokens.Flows
	locations *locations.Service
	places    *places.Index
	// provider ranks places for the campaigns.
	provider ranking.Provider
	// renderer draws heatmaps; its typefaces are read when the first one is asked for.
	renderer func() (*draw.Renderer, error)
	// description is the OpenAPI text, written when it is first asked for.
	description func() ([]byte, error)
	// inFlight bounds data requests, half of them for one owner.
	inFlight *budget.Pool
	// renders bounds pictures, which take a processor each.
	renders *budget.Pool
}

// How many pictures are drawn at once, in all and for one owner, and how long
// the next one waits.
const (
	maxRenders         = 4
	maxRendersPerOwner = 2
	maxRenderWait      = 5 * time.Second
)

// New builds the service and touches no store.
func New(w *world.World, identity *identity.Identity, grants *grants.Grants, c Config) *Service {
	s := &Service{
		world: w, identity: identity, config: c, places: places.New(w.DB),
		projects: memo.NewCounted[int64, Project](maxCachedProjects),
		renderer: sync.OnceValues(draw.NewRenderer),
		tokens: tokens.New(w, identity, grants, tokens.Config{
			Service: Name, DefaultScope: ScopeUserID, CodeTTL: c.CodeTTL, Interval: c.Interval,
			AccessTTL: c.AccessTTL, RefreshTTL: c.RefreshTTL, RefreshGrace: c.RefreshGrace,
			CodesPerMinute: c.CodesPerMinute, RequestsPerMinute: c.OAuthPerMinute,
		}),
		inFlight: budget.New(budget.Options{
			Name: Name + ".in_flight", Total: c.MaxInFlight, PerOwner: max(1, c.MaxInFlight/2),
		}),
		renders: budget.New(budget.Options{
			Name: Name + ".renders", Total: maxRenders, PerOwner: maxRendersPerOwner, Wait: maxRenderWait,
		}),
	}
	s.locations = locations.New(w, locations.Config{
		Service: Name, RequestsPerSecond: c.RequestsPerSecond, UpdatesPerSecond: c.UpdatesPerSecond,
		BulksPerMinute: c.BulksPerMinute, MaxBulk: c.MaxBulk, Charge: s.charge,
	})
	s.provider = s.places
	s.description = sync.OnceValues(s.openAPI)
	return s
}

// Module describes the service to the app.
func (s *Service) Module() module.Module {
	mux := hostmux.New(route.New(s.dataOptions(), withFallbacks(s.dataRoutes(), "/apis/v4", "/apis/v4-raw")))
	local := route.New(s.locationOptions(), withFallbacks(s.locationRoutes(), locations.Prefixes()...))
	for _, prefix := range locations.Prefixes() {
		mux.Prefix(prefix, local)
	}
	mux.Prefix(docsPrefix, route.New(s.docsOptions(), s.docsRoutes()))
	flows := route.New(s.tokens.Options(), s.tokens.Routes())
	mux.Prefix("/dag", flows)
	mux.Prefix("/oauth2", flows)
	return module.Module{
		Resources: consoleresources.All(), Owned: ownedrows.All(),
		Name: Name, Title: "Analytics", Letter: "K",
		Prefixes:        []string{"/dag", "/oauth2", "/apis/v4", "/apis/v4-raw", docsPrefix},
		Handler:         mux,
		Conduct:         conductrules.Rules(),
		Faults:          faultDefinitions(),
		Routes:          slices.Concat(s.tokens.Routes(), s.dataRoutes(), s.locationRoutes(), s.docsRoutes()),
		Migrations:      migrationFiles(),
		Jobs:            s.jobs(),
		Start:           s.start,
		Scopes:          scopes(),
		Commands:        s.commands(),
		Demo:            s.demo,
		Seeds:           s.seeds(),
		DemoCredentials: identity.DemoTokens(),
		TokenFormat: func(identity.Kind) identity.Format {
			return identity.Format{Alphabet: identity.Alphanumeric, Length: 40}
		},
		CommandGroups: []module.CommandGroup{
			{Name: "listings", Short: "Add business locations"},
			{Name: "places", Short: "Import places that can rank on maps"},
		},
		Example: module.Example{
			Credential: "STOA_TOKEN",
			Shell:      `curl -H "Authorization: Bearer $STOA_TOKEN" "$STOA_URL/apis/v4/projects/v0"`,
		},
	}
}

func migrationFiles() database.Migrations { return database.Embedded(Name, migrations) }

func (s *Service) now() time.Time { return s.world.Clock.Now().UTC().Truncate(time.Millisecond) }
