package packages

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/registry"
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/source"
)

// sources finds and keeps the adapters of the ecosystems. They are found when
// first needed, since asking package managers takes a while.
type sources struct {
	finder *registry.Finder
	client *registry.Client
	// verify checks attestations; nil before the start and without roots.
	verify source.Verifier

	mu    sync.Mutex
	known map[catalog.System]*found
}

type found struct {
	once   sync.Once
	source source.Source
	at     []registry.Address
	err    error
}

func newSources(f *registry.Finder, c *registry.Client) *sources {
	return &sources{finder: f, client: c, known: map[catalog.System]*found{}}
}

// of is the adapter of a system. A machine without a registry of that kind has
// none of its packages.
func (s *sources) of(ctx context.Context, system catalog.System) (source.Source, error) {
	f := s.find(ctx, system)
	if errors.Is(f.err, registry.ErrNone) {
		return nil, errMissing
	}
	return f.source, f.err
}

func (s *sources) find(ctx context.Context, system catalog.System) *found {
	s.mu.Lock()
	f := s.known[system]
	if f == nil {
		f = &found{}
		s.known[system] = f
	}
	s.mu.Unlock()
	f.once.Do(func() {
		f.at, f.err = s.finder.Find(context.WithoutCancel(ctx), kindOf(system))
		if f.err != nil {
			return
		}
		for _, a := range f.at {
			s.client.Trust(a)
		}
		f.source = source.New(system, s.client, f.at, s.verify)
	})
	return f
}

// kindOf is the registry package's word for a system.
func kindOf(s catalog.System) registry.Kind {
	switch s {
	case catalog.Go:
		return registry.Go
	case catalog.NPM:
		return registry.NPM
	case catalog.Cargo:
		return registry.Cargo
	case catalog.Maven:
		return registry.Maven
	case catalog.PyPI:
		return registry.PyPI
	case catalog.NuGet:
		return registry.NuGet
	case catalog.RubyGems:
		return registry.RubyGems
	}
	return ""
}

// errMissing means that the registry says there is no such package.
var errMissing = errors.New("the registry has no such package")

// pullPackage reads a package's version list from its registry and stores it.
// Many callers share one fetch; a "not found" is remembered for a while.
func (s *Service) pullPackage(ctx context.Context, k catalog.PackageKey) error {
	if s.config.Offline {
		return errMissing
	}
	if _, _, gone := s.missing.get(k.String()); gone {
		return errMissing
	}
	_, err := s.pulls.do(ctx, "package "+k.String(), s.config.PullTimeout, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, s.fetchPackage(ctx, k)
	})
	return err
}

func (s *Service) fetchPackage(ctx context.Context, k catalog.PackageKey) error {
	src, err := s.sources.of(ctx, k.System)
	if err != nil {
		return err
	}
	row, err := findPackage(ctx, s.world.DB, k)
	if _, err = none(err); err != nil {
		return err
	}
	_, mark, _ := s.missing.get(k.String())
	list, err := src.Package(ctx, k.Name, source.Validators{ETag: row.etag, LastModified: row.modified})
	now := s.world.Clock.Now()
	switch {
	case errors.Is(err, registry.ErrNotModified):
		return s.touch(ctx, k, now)
	case errors.Is(err, registry.ErrNotFound):
		s.missing.put(k.String(), struct{}{}, 0, mark)
		if row.id == 0 {
			return errMissing
		}
		// What is stored of it stays, and is not asked about before its turn.
		return cmp.Or(s.touch(ctx, k, now), errMissing)
	case err != nil:
		return fmt.Errorf("read %s: %w", k, err)
	}
	from := origin{etag: list.Validators.ETag, modified: list.Validators.LastModified, checked: now}
	return s.world.DB.Write(ctx, func(tx *database.Tx) error {
		return s.put(ctx, tx, &list.Package, from)
	})
}

// touch notes that the registry has been asked about a package, if it is known.
func (s *Service) touch(ctx context.Context, k catalog.PackageKey, at time.Time) error {
	return s.world.DB.Write(ctx, func(tx *database.Tx) error {
		tx.OnCommit(func() { s.forgetLists(k) })
		return touchPackage(ctx, tx, k, at)
	})
}

// refresh asks the registry about a known package without making anybody wait.
// After a failure it is left alone for a while.
func (s *Service) refresh(k catalog.PackageKey) {
	failed := "refresh " + k.String()
	if _, _, lately := s.missing.get(failed); lately || s.config.Offline {
		return
	}
	// While the service closes or is busy, nothing is refreshed.
	_, _ = s.pulls.join("package "+k.String(), s.config.PullTimeout, func(ctx context.Context) (struct{}, error) {
		_, mark, _ := s.missing.get(failed)
		err := s.fetchPackage(ctx, k)
		if err != nil {
			s.missing.put(failed, struct{}{}, 0, mark)
		}
		return struct{}{}, err
	})
}

// completeVersion is pullVersion that does not ask again for a while about a
// version whose details the registry does not have or says in no known way. A
// registry that did not answer this time is asked the next time; the client
// leaves it alone by itself when it keeps silent.
func (s *Service) completeVersion(ctx context.Context, k catalog.VersionKey) error {
	key := "details " + k.String()
	_, mark, lately := s.missing.get(key)
	if lately {
		return errMissing
	}
	err := s.pullVersion(ctx, k)
	if err != nil && ctx.Err() == nil && !registry.Temporary(err) && !errors.Is(err, errBusy) {
		s.missing.put(key, struct{}{}, 0, mark)
	}
	return err
}

// pullVersion completes a version that is listed but not yet known in full.
func (s *Service) pullVersion(ctx context.Context, k catalog.VersionKey) error {
	if s.config.Offline {
		return errMissing
	}
	_, err := s.pulls.do(ctx, "version "+k.String(), s.config.PullTimeout, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, s.fetchVersion(ctx, k)
	})
	return err
}

func (s *Service) fetchVersion(ctx context.Context, k catalog.VersionKey) error {
	src, err := s.sources.of(ctx, k.System)
	if err != nil {
		return err
	}
	row, err := findVersionRow(ctx, s.world.DB, k)
	if err != nil {
		return err
	}
	listed, err := row.decode()
	if err != nil {
		return err
	}
	full, err := src.Version(ctx, *listed)
	if err != nil {
		return fmt.Errorf("read %s: %w", k, err)
	}
	return s.world.DB.Write(ctx, func(tx *database.Tx) error {
		return s.put(ctx, tx, &catalog.Package{Key: k.Package(), Versions: []catalog.Version{*full}}, origin{})
	})
}
