package analytics

import (
	"embed"
	"slices"
	"sync"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/draw"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/analytics/ranking"
)

// Name is the service's one name everywhere.
const Name = "analytics"

//go:embed migrations/*.sql
var migrations embed.FS

// Service is the analytics API.
type Service struct {
	world    *world.World
	identity *identity.Identity
	config   Config
	store    store
	cache    projectCache
	// provider ranks places for the campaigns.
	provider ranking.Provider
	// studio draws heatmaps; its typefaces are read when the first one is asked for.
	studio func() (*draw.Renderer, error)
	// description is the OpenAPI text, written when it is first asked for.
	description func() ([]byte, error)
	// inFlight are places for data requests, half of them for one owner.
	inFlight *budget.Pool
	// renders are places for pictures, which take a processor each.
	renders *budget.Pool
}

// How many pictures are drawn at once, in all and for one owner, and how long
// the next one waits.
const (
	renders         = 4
	rendersPerOwner = 2
	renderWait      = 5 * time.Second
)

// New builds the service. It keeps what it is given and touches no store.
func New(w *world.World, identity *identity.Identity, c Config) *Service {
	s := &Service{world: w, identity: identity, config: c, studio: sync.OnceValues(draw.NewRenderer)}
	s.inFlight = budget.New(budget.Options{Name: Name + ".in_flight", Total: c.MaxInFlight, PerOwner: max(1, c.MaxInFlight/2)})
	s.renders = budget.New(budget.Options{Name: Name + ".renders", Total: renders, PerOwner: rendersPerOwner, Wait: renderWait})
	s.provider = placeIndex{s}
	s.description = sync.OnceValues(func() ([]byte, error) { return describe(slices.Concat(s.dataRoutes(), s.listingRoutes())) })
	return s
}

// Use makes another provider rank the places: a search engine in place of the
// places of this installation. It is called before the service starts.
func (s *Service) Use(p ranking.Provider) { s.provider = p }

// Module describes the service to the roof.
func (s *Service) Module() module.Module {
	roof := route.NewHostMux(route.New(s.dataOptions(), closed(s.dataRoutes(), "/apis/v4", "/apis/v4-raw")))
	listings := route.New(s.listingOptions(), closed(s.listingRoutes(), listingPrefixes()...))
	for _, prefix := range listingPrefixes() {
		roof.Prefix(prefix, listings)
	}
	roof.Prefix(docsPrefix, route.New(s.docsOptions(), s.docsRoutes()))
	oauth := route.New(s.oauthOptions(), s.oauthRoutes())
	roof.Prefix("/dag", oauth)
	roof.Prefix("/oauth2", oauth)
	return module.Module{
		Name: Name, Title: "Analytics", Letter: "K",
		Prefixes:   []string{"/dag", "/oauth2", "/apis/v4", "/apis/v4-raw", docsPrefix},
		Handler:    roof,
		Routes:     slices.Concat(s.oauthRoutes(), s.dataRoutes(), s.listingRoutes(), s.docsRoutes()),
		Migrations: migrationFiles(),
		Jobs:       s.jobs(),
		Start:      s.start,
		Scopes:     scopes(),
		Commands:   s.commands(),
		Demo:       s.demo,
		Example: module.Example{
			Credential: "STOA_TOKEN",
			Shell:      `curl -H "Authorization: Bearer $STOA_TOKEN" "$STOA_URL/apis/v4/projects/v0"`,
		},
	}
}

func migrationFiles() database.Migrations { return database.Embedded(Name, migrations) }

func (s *Service) now() time.Time { return s.world.Clock.Now().UTC().Truncate(time.Millisecond) }
