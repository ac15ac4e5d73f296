package packages

import (
	"context"
	"errors"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/flight"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/platform/registry"
	"stoa.dev/stoa/internal/platform/registry/finder"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/document"
	"stoa.dev/stoa/internal/service/packages/failures"
	"stoa.dev/stoa/internal/service/packages/ttlcache"
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
	underway underway
	hideWork func()

	// versions and listings hold encoded documents, missing the names that
	// registries do not know.
	versions *ttlcache.Cache[stored]
	listings *ttlcache.Cache[storedPackage]
	missing  *ttlcache.Cache[struct{}]
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
	finds := finder.New(finder.Options{
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
		versions: ttlcache.New[stored](w.Clock, c.CacheBytes*3/4, c.CacheTime),
		listings: ttlcache.New[storedPackage](w.Clock, c.CacheBytes/4, c.CacheTime),
		missing:  ttlcache.New[struct{}](w.Clock, missingBytes, c.MissingFor),
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
		Name:     Name,
		Title:    "Package insights",
		Letter:   "B",
		Prefixes: []string{"/v3", "/v3alpha"},
		Handler:  route.New(s.muxOptions(), routes),
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
		CommandGroups: []module.CommandGroup{
			{Name: "packages", Short: "Load and refresh package metadata and advisories"},
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

// GetPackage is the document of a package.
func (s *Service) GetPackage(ctx context.Context, k catalog.PackageKey, e document.Edition) ([]byte, error) {
	if err := k.Check(); err != nil {
		return nil, errInvalid("%v", err)
	}
	k = k.Canonical()
	p, missing, err := s.listed(ctx, k, e)
	if err != nil {
		return nil, err
	}
	had, partial := p, !missing && p.checked.Equal(unlisted())
	if !missing && !partial {
		if !p.checked.IsZero() && s.world.Clock.Now().Sub(p.checked) > s.config.FreshFor {
			// An old list is served at once; the next caller gets the new one.
			s.refresh(ctx, k)
		}
		return p.doc, nil
	}
	if err := s.readPackage(ctx, k); err != nil {
		if partial && !errors.Is(err, errStored) {
			return had.doc, ctx.Err()
		}
		return nil, s.fetchError(ctx, err, "package")
	}
	if p, missing, err = s.listed(ctx, k, e); err == nil && missing {
		err = errNotFound("package")
	}
	return p.doc, err
}

// listed looks a package's document up in memory and store.
func (s *Service) listed(
	ctx context.Context, k catalog.PackageKey, e document.Edition,
) (p storedPackage, missing bool, err error) {
	key := packageCacheKey(k, e)
	p, mark, ok := s.listings.Get(key)
	if ok {
		return p, false, nil
	}
	p, err = packageDocument(ctx, s.world.DB, k, e)
	if missing, err = none(err); missing || err != nil {
		return p, missing, err
	}
	s.listings.Put(key, p, len(p.doc), mark)
	return p, false, nil
}

// GetVersion is the document of a version.
func (s *Service) GetVersion(ctx context.Context, k catalog.VersionKey) (document.Version, error) {
	if err := k.Check(); err != nil {
		return document.Version{}, errInvalid("%v", err)
	}
	return s.resolveVersion(ctx, k.Canonical())
}

// resolveVersion finds a version by its canonical key, asking the registry
// where the store knows nothing or not enough.
func (s *Service) resolveVersion(ctx context.Context, k catalog.VersionKey) (document.Version, error) {
	v, missing, err := s.version(ctx, k)
	if err != nil {
		return document.Version{}, err
	}
	if missing {
		err := s.pullListed(ctx, k.Package())
		if err == nil {
			if v, missing, err = s.version(ctx, k); err != nil {
				return document.Version{}, err
			}
		}
		if missing && k.System == catalog.Go && !errors.Is(err, errStored) && ctx.Err() == nil {
			// A module proxy has versions that its lists do not name.
			if err = s.readRequirements(ctx, k); err == nil {
				v, missing, err = s.version(ctx, k)
			}
		}
		if err != nil {
			return document.Version{}, s.fetchError(ctx, err, "version")
		}
		if missing {
			return document.Version{}, errNotFound("version")
		}
	}
	if v.complete || s.config.Offline {
		return v.doc, nil
	}
	if err := s.completeVersion(ctx, k); err != nil {
		if ctx.Err() != nil {
			return document.Version{}, ctx.Err()
		}
		// What the list told is served rather than nothing.
		return v.doc, nil
	}
	if v, missing, err = s.version(ctx, k); err != nil || missing {
		return document.Version{}, orNotFound(err, "version")
	}
	return v.doc, nil
}

// pullListed asks the registry for a package whose version list lacks what
// was asked for, unless it was asked within the time a "not found" counts.
func (s *Service) pullListed(ctx context.Context, k catalog.PackageKey) error {
	row, err := findPackage(ctx, s.world.DB, k)
	missing, err := none(err)
	if err != nil {
		return err
	}
	if !missing && s.world.Clock.Now().Sub(row.checked) < s.config.MissingFor {
		return errMissing
	}
	return s.readPackage(ctx, k)
}

// version looks a version up in memory and store.
func (s *Service) version(ctx context.Context, k catalog.VersionKey) (v stored, missing bool, err error) {
	key := versionCacheKey(k)
	v, mark, ok := s.versions.Get(key)
	if ok {
		return v, false, nil
	}
	v, err = findVersion(ctx, s.world.DB, k)
	if missing, err = none(err); missing || err != nil {
		return v, missing, err
	}
	s.versions.Put(key, v, len(v.doc.All), mark)
	return v, false, nil
}

// GetRequirements is the declared requirements of a version, encoded.
func (s *Service) GetRequirements(ctx context.Context, k catalog.VersionKey) ([]byte, error) {
	if err := k.Check(); err != nil {
		return nil, errInvalid("%v", err)
	}
	if !k.System.HasRequirements() {
		return nil, &Error{Code: CodeNotFound, Message: "requirements are not available for " + string(k.System)}
	}
	k = k.Canonical()
	if _, err := s.resolveVersion(ctx, k); err != nil {
		return nil, err
	}
	doc, _, err := findRequirements(ctx, s.world.DB, k)
	if missing, err := none(err); missing || err != nil {
		return nil, orNotFound(err, "version")
	}
	if len(doc) == 0 {
		return nil, errNotFound("requirements")
	}
	return catalog.Served(doc), nil
}

// fetchError says why a fetch gave nothing, in the caller's terms.
func (s *Service) fetchError(ctx context.Context, err error, noun string) error {
	var own *Error
	var kind *database.Error
	var exceeded *limit.Exceeded
	switch {
	case errors.Is(err, errMissing):
		return errNotFound(noun)
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &own), errors.As(err, &kind), errors.As(err, &exceeded):
		return err
	}
	return errUnavailable(err)
}

func orNotFound(err error, noun string) error {
	if err != nil {
		return err
	}
	return errNotFound(noun)
}
