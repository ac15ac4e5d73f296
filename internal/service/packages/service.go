package packages

import (
	"embed"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/flight"
	"stoa.dev/stoa/internal/platform/memo"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/platform/registry"
	"stoa.dev/stoa/internal/platform/registry/machineconfig"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/packages/conductrules"
	"stoa.dev/stoa/internal/service/packages/consoleresources"
	"stoa.dev/stoa/internal/service/packages/failures"
)

// Name is the configuration key, the prefix of tables, jobs and limits and the label
// of metrics.
const Name = "packages"

// Service answers questions about packages from its store and fills the store
// from the user's registries.
type Service struct {
	world   *world.World
	config  Config
	sources *sources
	sealer  *page.Sealer

	// fetches are reads of registries under way, graphs resolutions.
	fetches *flight.Group[struct{}]
	graphs  *flight.Group[[]byte]
	// fetchPlaces and graphPlaces bound them.
	fetchPlaces, graphPlaces *budget.Pool
	// lookups are places for requests that read many rows.
	lookups *budget.Pool
	// underway is what is seen of the graphs, hideWork ends its metric.
	underway runningGraphs
	hideWork func()

	// versions and listings hold encoded documents, missing the names that
	// registries do not know.
	versions *memo.Sharded[string, stored]
	listings *memo.Sharded[string, storedPackage]
	missing  *memo.Sharded[string, struct{}]
}

const (
	// missingBytes bounds the memory for names that registries do not know.
	missingBytes = 4 << 20
	// maxFetches and maxGraphs bound what is under way, the shares what one caller
	// has of it.
	maxFetches = 2000
	fetchShare = 500
	maxGraphs  = 16
	graphShare = 4
	// maxLookups bounds batches and queries under way.
	maxLookups  = 64
	lookupShare = 16
	lookupWait  = 10 * time.Second
)

// New makes the service. It asks no registry. getenv
// reads the ecosystems' environment variables. No operation asks for a
// credential.
func New(w *world.World, _ *identity.Identity, c Config, getenv func(string) string) *Service {
	client := registry.NewClient(registry.ClientOptions{
		Agent: "stoa", Timeout: c.PullTimeout, PerHost: c.PerHost, Pause: c.Pause, Outbound: w.Outbound,
	})
	c.Offline = c.Offline || w.Outbound.Offline()
	finds := machineconfig.New(machineconfig.Options{
		Configured: c.Registries.byKind(), Getenv: getenv, Still: c.Offline || c.Undiscovered() != "",
	})
	s := &Service{
		world: w, config: c,
		fetches:     flight.New[struct{}](),
		fetchPlaces: budget.New(budget.Options{Name: "fetches", Total: maxFetches, PerOwner: fetchShare}),
		graphs:      flight.New[[]byte](),
		graphPlaces: budget.New(budget.Options{Name: "graphs", Total: maxGraphs, PerOwner: graphShare}),
		lookups: budget.New(budget.Options{
			Name: "lookups", Total: maxLookups, PerOwner: lookupShare, Wait: lookupWait,
		}),
		sources:  newSources(c, finds, client),
		versions: newCache(w.Clock, c.CacheBytes*3/4, c.CacheTime, func(v stored) int { return len(v.doc.All) }),
		listings: newCache(w.Clock, c.CacheBytes/4, c.CacheTime, func(p storedPackage) int { return len(p.doc) }),
		missing:  newCache(w.Clock, missingBytes, c.MissingFor, func(struct{}) int { return 0 }),
	}
	if w.Seal != nil {
		s.sealer = page.NewSealer(w.Seal.Derive("packages.pages"))
	}
	return s
}

// Module describes the service to the app.
func (s *Service) Module() module.Module {
	routes := s.routes()
	return module.Module{
		Resources: consoleresources.All(),
		Name:      Name,
		Title:     "Package insights",
		Letter:    "B",
		Prefixes:  []string{"/v3", "/v3alpha"},
		Handler:   route.New(s.muxOptions(), routes),
		Conduct:   conductrules.Rules(),
		Faults: failures.Catalogue(func(code failures.Code, message string, retryAfter time.Duration) error {
			return &Error{Code: Code(code), Message: message, retryAfter: retryAfter}
		}),
		Routes:     routes,
		Migrations: migrations(),
		Jobs:       s.jobs(),
		Start:      s.start,
		Close:      s.close,
		Commands:   s.commands(),
		Demo:       s.demo,
		Seeds:      s.seeds(),
		CommandGroups: []module.CommandGroup{
			{Name: "packages", Short: "Import, sync and export package metadata and advisories"},
		},
		Example: module.Example{
			Shell: `curl "$STOA_URL/v3/systems/npm/packages/%40stoa%2Fcolonnade/versions/1.2.0"`,
		},
	}
}

// close waits for what is under way, which ends at once.
func (s *Service) close() error {
	if s.hideWork != nil {
		s.hideWork()
	}
	s.graphs.Close()
	s.fetches.Close()
	s.sources.client.Close()
	return nil
}

//go:embed migrations/*.sql
var migrationFiles embed.FS

func migrations() database.Migrations { return database.Embedded(Name, migrationFiles) }
