package packages

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/resolve"
)

// GetDependencies is the resolved graph of a version. It is kept until it is
// older than a version list may be, or the version itself changes.
func (s *Service) GetDependencies(ctx context.Context, k catalog.VersionKey) ([]byte, error) {
	if err := k.Check(); err != nil {
		return nil, errInvalid("%v", err)
	}
	if !k.System.HasDependencies() {
		return nil, &Error{Code: CodeNotFound, Message: "dependencies are not available for " + string(k.System)}
	}
	k = k.Canonical()
	if _, err := s.resolveVersion(ctx, k); err != nil {
		return nil, err
	}
	now := s.world.Clock.Now()
	doc, err := findGraph(ctx, s.world.DB, k, now.Add(-s.config.FreshFor))
	missing, err := none(err)
	if err != nil || !missing {
		return doc, err
	}
	g, err := resolve.Resolve(ctx, lookups{s}, k)
	if err != nil {
		return nil, err
	}
	if doc, err = marshal(toDependenciesJSON(g)); err != nil {
		return nil, err
	}
	return doc, s.world.DB.Write(ctx, func(tx *database.Tx) error {
		return putGraph(ctx, tx, k, doc, now, dependedOn(g))
	})
}

// dependedOn is the versions a graph's root depends on, and whether directly.
func dependedOn(g *resolve.Graph) map[catalog.VersionKey]bool {
	nodes := map[catalog.VersionKey]bool{}
	for _, n := range g.Nodes {
		if n.Relation != resolve.Self && !n.Bundled {
			nodes[n.Key] = nodes[n.Key] || n.Relation == resolve.Direct
		}
	}
	return nodes
}

// lookups lets resolution read from the service, pulling what is missing.
type lookups struct{ s *Service }

func (l lookups) Package(ctx context.Context, k catalog.PackageKey) ([]byte, error) {
	doc, err := l.s.GetPackage(ctx, k, V3)
	return doc, unknown(err)
}

func (l lookups) Version(ctx context.Context, k catalog.VersionKey) ([]byte, error) {
	doc, err := l.s.GetVersion(ctx, k)
	if err != nil {
		return nil, unknown(err)
	}
	return doc.of(V3), nil
}

func (l lookups) Requirements(ctx context.Context, k catalog.VersionKey) ([]byte, error) {
	k = k.Canonical()
	if _, err := l.s.GetVersion(ctx, k); err != nil {
		return nil, unknown(err)
	}
	doc, err := findRequirements(ctx, l.s.world.DB, k)
	if err == nil && len(doc) == 0 {
		return nil, resolve.ErrNotFound
	}
	return doc, unknown(err)
}

// unknown translates what resolution treats as a hole in the graph. A registry
// that is silent about one dependency does not fail the whole graph.
func unknown(err error) error {
	var own *Error
	if errors.As(err, &own) || errors.Is(err, database.ErrNotFound) {
		return resolve.ErrNotFound
	}
	return err
}

// GetDependents counts the versions that depend on a version in the graphs
// that were resolved here.
func (s *Service) GetDependents(ctx context.Context, k catalog.VersionKey) (direct, indirect int64, err error) {
	if err := k.Check(); err != nil {
		return 0, 0, errInvalid("%v", err)
	}
	if !k.System.HasDependencies() {
		return 0, 0, &Error{Code: CodeNotFound, Message: "dependents are not available for " + string(k.System)}
	}
	k = k.Canonical()
	if _, err := s.resolveVersion(ctx, k); err != nil {
		return 0, 0, err
	}
	return countDependents(ctx, s.world.DB, k)
}
