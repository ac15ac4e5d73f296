package packages

import (
	"context"
	"errors"
	"path"
	"sync/atomic"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/document"
	"stoa.dev/stoa/internal/service/packages/resolve/graph"
)

// lookups lets one resolution read from the service, pulling what is missing.
type lookups struct {
	s *Service
	// memory is what the resolution holds; it keeps every document.
	memory *budget.Grant
	// unanswered is set when a registry could not be asked.
	unanswered atomic.Bool
}

// documentWeight is how many bytes of memory a byte of a document stands for
// while a graph is resolved: it is kept decoded.
const documentWeight = 4

// reached is the context of a look-up that goes as far as it may.
func reached(ctx context.Context, r graph.Reach) context.Context {
	if r == graph.Registry {
		return ctx
	}
	a := askerOf(ctx)
	a.stored = true
	return withAsker(ctx, a)
}

// weighed takes memory for a document.
func (l *lookups) weighed(doc []byte, err error) ([]byte, error) {
	if err == nil {
		err = l.memory.Grow(int64(len(doc)) * documentWeight)
	}
	return doc, l.unknown(err)
}

func (l *lookups) Package(ctx context.Context, k catalog.PackageKey, r graph.Reach) ([]byte, error) {
	// This edition says which versions are withdrawn.
	return l.weighed(l.s.GetPackage(reached(ctx, r), k, document.V3Alpha))
}

func (l *lookups) Version(ctx context.Context, k catalog.VersionKey, r graph.Reach) ([]byte, error) {
	doc, err := l.s.GetVersion(reached(ctx, r), k)
	if err != nil {
		return nil, l.unknown(err)
	}
	return l.weighed(doc.Of(document.V3), nil)
}

// Requirements are read from a registry only where the version's list did not
// tell them: the rest of a version is of no use to a graph.
func (l *lookups) Requirements(ctx context.Context, k catalog.VersionKey, r graph.Reach) ([]byte, error) {
	k = k.Canonical()
	ctx = reached(ctx, r)
	doc, complete, err := findRequirements(ctx, l.s.world.DB, k)
	missing, err := none(err)
	if err == nil && !missing && (complete || catalog.ListTells(k.System, doc)) {
		return l.weighed(needsOf(doc))
	}
	if err == nil && (k.System == catalog.Go || k.System == catalog.Maven) {
		if err = l.s.readRequirements(ctx, k); err != nil {
			err = l.s.fetchError(ctx, err, "requirements")
		}
	} else if err == nil {
		_, err = l.s.GetVersion(ctx, k)
	}
	if err != nil {
		return nil, l.unknown(err)
	}
	doc, complete, err = findRequirements(ctx, l.s.world.DB, k)
	if err == nil && !complete && !catalog.ListTells(k.System, doc) && !l.s.config.Offline && !l.s.undetailed(k) {
		if r == graph.Stored {
			return nil, graph.ErrElsewhere
		}
		l.unanswered.Store(true)
	}
	if err != nil {
		return nil, l.unknown(err)
	}
	return l.weighed(needsOf(doc))
}

// needsOf is a stored document of requirements, if there is one.
func needsOf(doc []byte) ([]byte, error) {
	if len(doc) == 0 {
		return nil, graph.ErrNotFound
	}
	return doc, nil
}

// Files is what the list of a package tells of a version.
func (l *lookups) Files(ctx context.Context, k catalog.VersionKey) (graph.Files, error) {
	v, err := storedVersion(ctx, l.s.world.DB, k)
	if err != nil {
		return graph.Files{}, l.unknown(err)
	}
	var f graph.Files
	for _, a := range v.Artifacts {
		f.Names = append(f.Names, path.Base(a.URL))
	}
	if v.Requires != nil && v.Requires.PyPI != nil {
		f.Python = v.Requires.PyPI.Python
	}
	return f, nil
}

// unknown translates what resolution treats as a hole in the graph. A registry
// that is silent about one dependency does not fail the whole graph.
func (l *lookups) unknown(err error) error {
	var own *Error
	switch {
	case errors.Is(err, errStored):
		return graph.ErrElsewhere
	case errors.As(err, &own), errors.Is(err, database.ErrNotFound):
		if own != nil && own.Code == CodeUnavailable {
			l.unanswered.Store(true)
		}
		return graph.ErrNotFound
	}
	return err
}
