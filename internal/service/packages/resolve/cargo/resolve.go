package cargo

import (
	"errors"

	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/resolve/graph"
)

// Resolve makes the graph of a crate.
func Resolve(l *graph.Lookup, root catalog.VersionKey) (*graph.Graph, error) {
	x := newIndex(l)
	top, err := x.crate(root.Name, root.Version)
	if err != nil {
		return nil, err
	}
	k := &locker{index: x, missing: map[*crate][]string{}}
	chosen, err := k.run(top)
	var conflict *conflictError
	if errors.As(err, &conflict) {
		return graph.Failed(root, conflict.text), nil
	}
	if err != nil {
		return nil, err
	}
	b := newBuilder(l, chosen)
	if err := b.add(unit{of: top}, []value{{feature: "default"}}); err != nil {
		return nil, err
	}
	return b.graph(k.missing), nil
}

// graph is the units as nodes, each crate once.
func (b *builder) graph(missing map[*crate][]string) *graph.Graph {
	g := &graph.Graph{}
	place := map[*crate]int{}
	for _, u := range b.list {
		if _, seen := place[u.of]; seen {
			continue
		}
		place[u.of] = len(g.Nodes)
		n := graph.Node{Key: u.of.key, Errors: missing[u.of]}
		if u.of.unknown {
			n.Errors = append(n.Errors, graph.RequirementsUnknown)
		}
		g.Nodes = append(g.Nodes, n)
	}
	seen := map[graph.Edge]bool{}
	for _, u := range b.list {
		for i := range u.of.deps {
			d := &u.of.deps[i]
			to := b.lock.chosen[choice{u.of, i}]
			if d.dev || !d.target || to == nil || d.optional && !b.enabledDependencies[u][d.name] {
				continue
			}
			at, built := place[to]
			e := graph.Edge{From: place[u.of], To: at, Requirement: d.text}
			if built && !seen[e] {
				seen[e] = true
				g.Edges = append(g.Edges, e)
			}
		}
	}
	g.Relate()
	return g
}
