package packages

import (
	"context"
	"errors"
	"sync"

	"stoa.dev/stoa/internal/platform/registry"
	"stoa.dev/stoa/internal/platform/registry/machineconfig"
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/source"
)

// sources finds and keeps the adapters of the ecosystems. They are found when
// first needed, since asking package managers takes a while.
type sources struct {
	config Config
	finder *machineconfig.Finder
	client *registry.Client
	// verify checks attestations; nil before the start and without roots.
	verify source.Verifier

	known sync.Map // *found by system
}

type found struct {
	once   sync.Once
	source source.Source
	at     []registry.Address
	err    error
}

func newSources(config Config, f *machineconfig.Finder, c *registry.Client) *sources {
	return &sources{config: config, finder: f, client: c}
}

// of is the adapter of a system. Without a registry of that kind its packages are
// unknown, and the error says so.
func (s *sources) of(ctx context.Context, system catalog.System) (source.Source, error) {
	if err := s.used(system); err != nil {
		return nil, err
	}
	f := s.find(ctx, system)
	if errors.Is(f.err, machineconfig.ErrNone) {
		return nil, errNoRegistry(kindOf(system), "none was found on this machine")
	}
	if errors.Is(f.err, machineconfig.ErrSilent) {
		return nil, errUnavailable(f.err)
	}
	return f.source, f.err
}

// used refuses a system whose registries are neither configured nor, if they
// were found, asked. It looks for none.
func (s *sources) used(system catalog.System) error {
	kind := kindOf(system)
	why := s.config.Undiscovered()
	if why == "" || len(s.config.Registries.byKind()[kind]) > 0 {
		return nil
	}
	return errNoRegistry(kind, "those found on this machine are not asked: "+why)
}

func (s *sources) find(ctx context.Context, system catalog.System) *found {
	kept, _ := s.known.LoadOrStore(system, &found{})
	f, _ := kept.(*found)
	f.once.Do(func() {
		f.at, f.err = s.finder.Find(context.WithoutCancel(ctx), kindOf(system))
		if errors.Is(f.err, machineconfig.ErrSilent) {
			s.known.Delete(system) // the next request looks again
		}
		if f.err != nil {
			return
		}
		if s.used(system) == nil {
			for _, a := range f.at {
				s.client.Trust(a)
			}
		}
		f.source = source.New(system, s.client, f.at, s.verify)
	})
	return f
}

// kindOf is the registry package's name of a system.
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
