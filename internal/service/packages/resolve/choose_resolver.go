package resolve

import (
	"context"
	"fmt"

	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/resolve/cargo"
	"stoa.dev/stoa/internal/service/packages/resolve/gomod"
	"stoa.dev/stoa/internal/service/packages/resolve/graph"
	"stoa.dev/stoa/internal/service/packages/resolve/library"
	"stoa.dev/stoa/internal/service/packages/resolve/npm"
	"stoa.dev/stoa/internal/service/packages/resolve/pypi"
)

// Options shape a resolution.
type Options struct {
	// Python is the version of Python that PyPI packages are resolved for.
	Python string
	// Watch is told of the look-ups, so that their progress can be seen; nil
	// when no caller looks.
	Watch func(*graph.Lookup)
}

// Resolve makes the graph of a version.
func Resolve(ctx context.Context, s graph.Store, root catalog.VersionKey, o Options) (*graph.Graph, error) {
	run, err := resolver(ctx, root.System, o)
	if err != nil {
		return nil, err
	}
	l := graph.NewLookup(ctx, s)
	if o.Watch != nil {
		o.Watch(l)
	}
	return l.Run(run, root)
}

func resolver(ctx context.Context, s catalog.System, o Options) (graph.Resolver, error) {
	switch s {
	case catalog.NPM:
		return npm.Resolve, nil
	case catalog.Maven:
		return func(l *graph.Lookup, root catalog.VersionKey) (*graph.Graph, error) {
			return library.Resolve(ctx, l, root)
		}, nil
	case catalog.PyPI:
		return pypi.Resolver(o.Python)
	case catalog.Cargo:
		return cargo.Resolve, nil
	case catalog.Go:
		return gomod.Resolve, nil
	default:
		return nil, fmt.Errorf("dependencies of %s are not resolved", s)
	}
}
