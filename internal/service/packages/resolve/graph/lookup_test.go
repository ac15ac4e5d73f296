package graph_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/resolve/graph"
)

// far has everything in a registry and nothing in the store.
type far struct {
	asked  atomic.Int64
	broken error
}

func (f *far) Package(_ context.Context, k catalog.PackageKey, r graph.Reach) ([]byte, error) {
	if r == graph.Stored {
		return nil, graph.ErrElsewhere
	}
	f.asked.Add(1)
	return fmt.Appendf(nil, `{"versions":[{"versionKey":{"version":"%s"}}]}`, k.Name), f.broken
}

func (f *far) Version(context.Context, catalog.VersionKey, graph.Reach) ([]byte, error) {
	return nil, graph.ErrNotFound
}

func (f *far) Requirements(context.Context, catalog.VersionKey, graph.Reach) ([]byte, error) {
	return nil, graph.ErrNotFound
}

func (f *far) Files(context.Context, catalog.VersionKey) (graph.Files, error) {
	return graph.Files{}, nil
}

// chain asks for the next package when it knows the one before.
func chain(passes *int) graph.Resolver {
	return func(l *graph.Lookup, root catalog.VersionKey) (*graph.Graph, error) {
		*passes++
		g := graph.Failed(root, "")
		for i := range 5 {
			list, err := l.Versions(catalog.PackageKey{System: catalog.NPM, Name: fmt.Sprint(i)})
			if errors.Is(err, graph.ErrNotFound) {
				break
			}
			if err != nil {
				return nil, err
			}
			g.Nodes = append(g.Nodes, graph.Node{Key: root.Package().At(list[0].Key.Version)})
		}
		return g, nil
	}
}

func TestPasses(t *testing.T) {
	t.Parallel()
	passes, store := 0, &far{}
	l := graph.NewLookup(t.Context(), store)
	g, err := l.Run(chain(&passes), catalog.VersionKey{System: catalog.NPM, Name: "x", Version: "1.0.0"})
	if err != nil || len(g.Nodes) != 6 {
		t.Errorf("%+v, %v", g, err)
	}
	if passes != 6 || store.asked.Load() != 5 {
		t.Errorf("%d passes, %d questions, want 6 and 5", passes, store.asked.Load())
	}
	if done, asked := l.Progress(); done != 5 || asked != 5 {
		t.Errorf("%d of %d are answered", done, asked)
	}
}

// ahead asks for the rest of the chain as soon as a link of it is known.
func ahead(l *graph.Lookup, i int) {
	if i == 5 {
		return
	}
	l.Ahead(catalog.PackageKey{System: catalog.NPM, Name: fmt.Sprint(i)}, func([]graph.Listed) { ahead(l, i+1) })
}

// TestAhead: what is asked for ahead needs no pass of its own, and no question twice.
func TestAhead(t *testing.T) {
	t.Parallel()
	passes, store := 0, &far{}
	l := graph.NewLookup(t.Context(), store)
	g, err := l.Run(func(l *graph.Lookup, root catalog.VersionKey) (*graph.Graph, error) {
		if passes == 0 {
			ahead(l, 0)
			l.AheadOf(root, func(*catalog.Requirements) { t.Error("requirements of which nothing is known") })
		}
		return chain(&passes)(l, root)
	}, catalog.VersionKey{System: catalog.NPM, Name: "x", Version: "1.0.0"})
	if err != nil || len(g.Nodes) != 6 {
		t.Errorf("%+v, %v", g, err)
	}
	if passes != 2 || store.asked.Load() != 5 {
		t.Errorf("%d passes, %d questions, want 2 and 5", passes, store.asked.Load())
	}
}

// TestFailureEndsAhead: after a failure nothing more is asked for.
func TestFailureEndsAhead(t *testing.T) {
	t.Parallel()
	passes, broken := 0, errors.New("broken")
	store := &far{broken: broken}
	resolve := func(l *graph.Lookup, root catalog.VersionKey) (*graph.Graph, error) {
		ahead(l, 0)
		return chain(&passes)(l, root)
	}
	_, err := graph.NewLookup(t.Context(), store).Run(resolve, catalog.VersionKey{})
	if !errors.Is(err, broken) || passes != 1 || store.asked.Load() != 1 {
		t.Errorf("%v after %d passes and %d questions", err, passes, store.asked.Load())
	}
}

func TestFailureEndsARun(t *testing.T) {
	t.Parallel()
	passes, broken := 0, errors.New("broken")
	_, err := graph.NewLookup(t.Context(), &far{broken: broken}).Run(chain(&passes), catalog.VersionKey{})
	if !errors.Is(err, broken) || passes != 1 {
		t.Errorf("%v after %d passes", err, passes)
	}
}
