package packages

import (
	"context"
	"errors"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/flight"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/resolve"
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
	doc, err := findGraph(ctx, s.world.DB, k, s.world.Clock.Now())
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
	doc, err = share(ctx, s.graphs, key, bounded(s.graphPlaces, a.owner(), graphTime, work))
	if err != nil && ctx.Err() == nil &&
		(errors.Is(err, flight.ErrClosed) || errors.Is(err, context.DeadlineExceeded)) {
		// What was fetched so far is stored, so that another try gets further.
		return nil, &Error{
			Code: CodeUnavailable, Message: "the graph cannot be resolved now: " + err.Error(), cause: err,
		}
	}
	return doc, err
}

// resolveGraph makes a graph and keeps it: a whole one as long as a version
// list, one with a hole as long as a "not found" is believed, and one that
// lacks what a registry could not be asked for not at all.
func (s *Service) resolveGraph(ctx context.Context, k catalog.VersionKey, memory *budget.Grant) ([]byte, error) {
	from := &lookups{s: s, memory: memory}
	g, err := resolve.Resolve(ctx, from, k)
	if from.failed != nil {
		return nil, from.failed
	}
	if err != nil {
		return nil, err
	}
	doc, err := marshal(toDependenciesJSON(g))
	if err != nil || from.unanswered {
		return doc, err
	}
	keep := s.config.FreshFor
	if g.HasHole() {
		keep = min(keep, s.config.MissingFor)
	}
	return doc, s.world.DB.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		return putGraph(ctx, tx, k, doc, s.world.Clock.Now().Add(keep), neededBy(g))
	})
}

// needed is a version that a graph's root depends on.
type needed struct {
	key    catalog.VersionKey
	direct bool
}

// neededBy is every version a graph's root depends on, once.
func neededBy(g *resolve.Graph) []needed {
	var list []needed
	place := map[catalog.VersionKey]int{}
	for _, n := range g.Nodes {
		if n.Relation == resolve.Self || n.Bundled {
			continue
		}
		at, seen := place[n.Key]
		if !seen {
			at = len(list)
			place[n.Key] = at
			list = append(list, needed{key: n.Key})
		}
		list[at].direct = list[at].direct || n.Relation == resolve.Direct
	}
	return list
}

// lookups lets one resolution read from the service, pulling what is missing.
type lookups struct {
	s *Service
	// memory is what the resolution holds; it keeps every document.
	memory *budget.Grant
	// unanswered is set when a registry could not be asked.
	unanswered bool
	// failed is why the resolution cannot go on now.
	failed error
}

// documentWeight is how many bytes of memory a byte of a document stands for
// while a graph is resolved: it is kept decoded.
const documentWeight = 4

// weighed takes memory for a document.
func (l *lookups) weighed(doc []byte, err error) ([]byte, error) {
	if err == nil {
		err = l.memory.Grow(int64(len(doc)) * documentWeight)
	}
	return doc, l.unknown(err)
}

func (l *lookups) Package(ctx context.Context, k catalog.PackageKey) ([]byte, error) {
	// This edition says which versions are withdrawn.
	return l.weighed(l.s.GetPackage(ctx, k, V3Alpha))
}

func (l *lookups) Version(ctx context.Context, k catalog.VersionKey) ([]byte, error) {
	doc, err := l.s.GetVersion(ctx, k)
	if err != nil {
		return nil, l.unknown(err)
	}
	return l.weighed(doc.of(V3), nil)
}

func (l *lookups) Requirements(ctx context.Context, k catalog.VersionKey) ([]byte, error) {
	k = k.Canonical()
	if _, err := l.s.GetVersion(ctx, k); err != nil {
		return nil, l.unknown(err)
	}
	doc, err := findRequirements(ctx, l.s.world.DB, k)
	if err == nil && len(doc) == 0 {
		return nil, resolve.ErrNotFound
	}
	return l.weighed(doc, err)
}

// unknown translates what resolution treats as a hole in the graph. A registry
// that is silent about one dependency does not fail the whole graph.
func (l *lookups) unknown(err error) error {
	var own *Error
	if errors.As(err, &own) || errors.Is(err, database.ErrNotFound) {
		l.unanswered = l.unanswered || own != nil && own.Code == CodeUnavailable
		return resolve.ErrNotFound
	}
	var exceeded *limit.Exceeded
	if errors.As(err, &exceeded) {
		l.failed = err
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
