package library

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"deps.dev/util/resolve"
	"deps.dev/util/resolve/maven"
	"deps.dev/util/resolve/npm"

	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/resolve/graph"
)

// Resolve makes the graph of a version.
func Resolve(ctx context.Context, l *graph.Lookup, root catalog.VersionKey) (*graph.Graph, error) {
	known := newClient(l)
	client := choosing{resolve.NewAPIClient(known), known}
	var r resolve.Resolver
	var system resolve.System
	switch root.System {
	case catalog.NPM:
		r, system = npm.NewResolver(client), resolve.NPM
	case catalog.Maven:
		r, system = maven.NewResolver(client), resolve.Maven
		known.consumed = root
	default:
		return nil, fmt.Errorf("dependencies of %s are not resolved", root.System)
	}
	start := root
	if root.System == catalog.Maven {
		start = consumer()
	}
	g, err := protected(ctx, r, resolve.VersionKey{
		PackageKey:  resolve.PackageKey{System: system, Name: start.Name},
		VersionType: resolve.Concrete, Version: start.Version,
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		if failed, _ := graph.GaveUp(root, err); failed != nil {
			return failed, nil
		}
		return graph.Failed(root, problem(err)), nil
	}
	out, err := convert(g, root)
	if err != nil {
		return nil, err
	}
	markUnknown(out, known.unknown)
	if root.System == catalog.Maven {
		out = contracted(out, root, func(i int, n *graph.Node) bool {
			return i == 0 || known.relocated[n.Key] && n.Key != root
		})
	}
	return out, nil
}

// problem is why there is no graph. Where the bound is ours it says no more.
func problem(err error) string {
	if errors.Is(err, errProperties) {
		return errProperties.Error()
	}
	return err.Error()
}

// protected turns a panic of the library into an error: registries hold
// unforeseen descriptors.
func protected(ctx context.Context, r resolve.Resolver, root resolve.VersionKey) (g *resolve.Graph, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			err = fmt.Errorf("the resolver gave up: %v", problem)
		}
	}()
	return r.Resolve(ctx, root)
}

// convert takes over the library's graph in canonical order.
func convert(g *resolve.Graph, root catalog.VersionKey) (*graph.Graph, error) {
	if err := g.Canon(); err != nil {
		return nil, err
	}
	if len(g.Nodes) > graph.MaxNodes {
		return graph.Failed(root, graph.ErrTooManyNodes.Error()), nil
	}
	if len(g.Nodes) == 0 {
		// The library says why there is no graph, and leaves out the root.
		return graph.Failed(root, g.Error), nil
	}
	out := &graph.Graph{Problem: g.Error}
	for _, n := range g.Nodes {
		one := graph.Node{
			Bundled: strings.Contains(n.Version.Name, ">"),
			Key: catalog.VersionKey{
				System: root.System, Name: catalog.CanonicalName(root.System, n.Version.Name),
				Version: n.Version.Version,
			},
		}
		for _, e := range n.Errors {
			one.Errors = append(one.Errors, fmt.Sprintf("%s %s: %s", e.Req.Name, e.Req.Version, e.Error))
		}
		out.Nodes = append(out.Nodes, one)
	}
	for _, e := range g.Edges {
		out.Edges = append(out.Edges, graph.Edge{From: int(e.From), To: int(e.To), Requirement: e.Requirement})
	}
	out.Relate()
	return out, nil
}

// markUnknown adds an error to the nodes at which the graph ends because what
// they need is unknown.
func markUnknown(g *graph.Graph, unknown map[catalog.VersionKey]bool) {
	for i := range g.Nodes {
		if unknown[g.Nodes[i].Key.Canonical()] {
			g.Nodes[i].Errors = append(g.Nodes[i].Errors, graph.RequirementsUnknown)
		}
	}
}

// consumer is the project that needs a Maven version: scopes, optional
// dependencies and management count as they do for one that depends on it.
func consumer() catalog.VersionKey {
	return catalog.VersionKey{System: catalog.Maven, Name: "consumer:consumer", Version: "1"}
}

// contracted is a graph without some nodes, from the root on; what led to one of
// them leads to what it needs.
func contracted(g *graph.Graph, root catalog.VersionKey, gone func(i int, n *graph.Node) bool) *graph.Graph {
	if len(g.Nodes) < 2 || g.Problem != "" && len(g.Edges) == 0 {
		return g
	}
	place, next := make([]int, len(g.Nodes)), map[int]int{}
	for _, e := range g.Edges {
		next[e.From] = e.To
	}
	out := &graph.Graph{Problem: g.Problem, Nodes: []graph.Node{{Key: root}}}
	for i := range g.Nodes {
		place[i] = -1
		if g.Nodes[i].Key == root {
			place[i], out.Nodes[0] = 0, g.Nodes[i]
		} else if !gone(i, &g.Nodes[i]) {
			place[i] = len(out.Nodes)
			out.Nodes = append(out.Nodes, g.Nodes[i])
		}
	}
	end := func(i int) int {
		for range g.Nodes {
			to, ok := next[i]
			if place[i] >= 0 || !ok {
				break
			}
			i = to
		}
		return place[i]
	}
	for _, e := range g.Edges {
		if from, to := place[e.From], end(e.To); from >= 0 && to >= 0 && from != to {
			out.Edges = append(out.Edges, graph.Edge{From: from, To: to, Requirement: e.Requirement})
		}
	}
	out.Relate()
	return out
}
