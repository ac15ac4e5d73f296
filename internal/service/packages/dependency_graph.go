package packages

import (
	"context"
	"errors"
	"time"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/flight"
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/document"
	"stoa.dev/stoa/internal/service/packages/graphstore"
	"stoa.dev/stoa/internal/service/packages/resolve"
	"stoa.dev/stoa/internal/service/packages/resolve/graph"
	"stoa.dev/stoa/internal/service/packages/sharedwork"
)

// GetDependencies is the resolved graph of a version. It is kept for a while,
// or until the version itself changes.
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
	doc, err := graphstore.Find(ctx, s.world.DB, k, s.resolver(k), s.world.Clock.Now())
	missing, err := none(err)
	if err != nil || !missing {
		return doc, err
	}
	a := askerOf(ctx)
	key := k.String()
	if a.foreign {
		key = "foreign " + key // it may lack what others get
	}
	work := func(ctx context.Context) ([]byte, error) {
		memory, err := s.world.Memory.Take(ctx, a.owner(), taskMemory)
		if err != nil {
			return nil, err
		}
		defer memory.Release()
		return s.resolveGraph(withAsker(ctx, a), k, memory)
	}
	// The work goes on when its callers leave.
	wait, cancel := context.WithTimeout(ctx, s.config.GraphWait)
	defer cancel()
	doc, err = sharedwork.Share(wait, s.graphs, key, sharedwork.Bounded(s.graphPlaces, a.owner(), graphTime, work))
	if err != nil && ctx.Err() == nil && wait.Err() != nil {
		return nil, &Error{
			Code: CodeUnavailable, refused: true, retryAfter: graphRetry,
			Message: "the graph is being resolved and its packages are being fetched: ask again in a while",
		}
	}
	if err != nil && ctx.Err() == nil &&
		(errors.Is(err, flight.ErrClosed) || errors.Is(err, context.DeadlineExceeded)) {
		// What was fetched so far is stored, so that another try gets further.
		return nil, &Error{
			Code: CodeUnavailable, Message: "the graph cannot be resolved now: " + err.Error(), cause: err,
		}
	}
	return doc, err
}

// graphRetry is when a caller that waited in vain is to ask again.
const graphRetry = 10 * time.Second

// resolveGraph makes a graph and keeps it: a whole one as long as a version
// list, one with a hole as long as a "not found" is believed, and one that
// lacks what a registry could not be asked for not at all.
func (s *Service) resolveGraph(ctx context.Context, k catalog.VersionKey, memory *budget.Grant) ([]byte, error) {
	from := &lookups{s: s, memory: memory}
	watch, end := s.underway.begin(k, s.world.Clock.Now())
	defer end()
	g, err := resolve.Resolve(ctx, from, k, resolve.Options{Python: s.config.Python, Watch: watch})
	if err != nil {
		return nil, err
	}
	doc, err := document.Marshal(toDependenciesJSON(g))
	if err != nil || from.unanswered.Load() {
		return doc, err
	}
	keep := s.config.FreshFor
	if g.HasHole() {
		keep = min(keep, s.config.MissingFor)
	}
	return doc, s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		row, err := findPackage(ctx, tx, k.Package())
		if err != nil {
			return err
		}
		return graphstore.Put(ctx, tx, row.id, k.Version, graphstore.Graph{
			Resolver: s.resolver(k), Doc: doc, Stale: s.world.Clock.Now().Add(keep), Nodes: neededBy(g),
		})
	})
}

// resolver is the setting that graphs of the version's system depend on.
func (s *Service) resolver(k catalog.VersionKey) string {
	if k.System == catalog.PyPI {
		return "python " + s.config.Python
	}
	return ""
}

// neededBy is every version a graph's root depends on, once.
func neededBy(g *graph.Graph) []graphstore.Needed {
	var list []graphstore.Needed
	place := map[catalog.VersionKey]int{}
	for _, n := range g.Nodes {
		if n.Relation == graph.Self || n.Bundled {
			continue
		}
		at, seen := place[n.Key]
		if !seen {
			at = len(list)
			place[n.Key] = at
			list = append(list, graphstore.Needed{Key: n.Key})
		}
		list[at].Direct = list[at].Direct || n.Relation == graph.Direct
	}
	return list
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
	return graphstore.CountDependents(ctx, s.world.DB, k)
}
