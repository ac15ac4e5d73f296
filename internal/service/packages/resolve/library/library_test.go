package library_test

import (
	"context"
	"testing"

	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/resolve/graph"
	"stoa.dev/stoa/internal/service/packages/resolve/library"
)

// empty knows nothing.
type empty struct{}

func (empty) Package(context.Context, catalog.PackageKey, graph.Reach) ([]byte, error) {
	return nil, graph.ErrNotFound
}

func (empty) Version(context.Context, catalog.VersionKey, graph.Reach) ([]byte, error) {
	return nil, graph.ErrNotFound
}

func (empty) Requirements(context.Context, catalog.VersionKey, graph.Reach) ([]byte, error) {
	return nil, graph.ErrNotFound
}

func (empty) Files(context.Context, catalog.VersionKey) (graph.Files, error) {
	return graph.Files{}, nil
}

// TestUnknownRoot: what is not known has a graph that says so.
func TestUnknownRoot(t *testing.T) {
	t.Parallel()
	run := func(l *graph.Lookup, root catalog.VersionKey) (*graph.Graph, error) {
		return library.Resolve(t.Context(), l, root)
	}
	root := catalog.VersionKey{System: catalog.Maven, Name: "g:a", Version: "1"}
	g, err := graph.NewLookup(t.Context(), empty{}).Run(run, root)
	if err != nil || len(g.Nodes) != 1 || !g.HasHole() {
		t.Errorf("%+v, %v", g, err)
	}
}
