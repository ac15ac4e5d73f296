package resolve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"deps.dev/util/resolve"
	"deps.dev/util/resolve/maven"
	"deps.dev/util/resolve/npm"
	"deps.dev/util/resolve/pypi"

	"stoa.dev/stoa/internal/service/packages/catalog"
)

// ErrNotFound is what a Store answers for what it does not know.
var ErrNotFound = errors.New("not found")

// Store is where packages are looked up; the answers are the encoded documents
// of the API.
type Store interface {
	Package(ctx context.Context, k catalog.PackageKey) ([]byte, error)
	Version(ctx context.Context, k catalog.VersionKey) ([]byte, error)
	Requirements(ctx context.Context, k catalog.VersionKey) ([]byte, error)
}

// Relation is how a node depends on the root.
type Relation string

// The relations. What is needed both ways is direct.
const (
	Self     Relation = "SELF"
	Direct   Relation = "DIRECT"
	Indirect Relation = "INDIRECT"
)

// Node is one resolved version.
type Node struct {
	Key      catalog.VersionKey
	Bundled  bool
	Relation Relation
	Errors   []string
}

// Edge is one requirement and what satisfied it, by places among the nodes.
type Edge struct {
	From, To    int
	Requirement string
}

// Graph is a resolved version with everything it needs. The first node is the
// root. Problem is set when resolution gave up.
type Graph struct {
	Nodes   []Node
	Edges   []Edge
	Problem string
}

// maxNodes bounds a graph; the largest real ones have some thousand nodes.
const maxNodes = 10000

// Resolve makes the graph of a version.
func Resolve(ctx context.Context, s Store, root catalog.VersionKey) (*Graph, error) {
	if root.System == catalog.Cargo {
		return resolveCargo(ctx, s, root)
	}
	known := newClient(ctx, s)
	client := choosing{resolve.NewAPIClient(known), known}
	var r resolve.Resolver
	var system resolve.System
	switch root.System {
	case catalog.NPM:
		r, system = npm.NewResolver(client), resolve.NPM
	case catalog.Maven:
		r, system = maven.NewResolver(client), resolve.Maven
	case catalog.PyPI:
		r, system = pypi.NewResolver(client), resolve.PyPI
	default:
		return nil, fmt.Errorf("dependencies of %s are not resolved", root.System)
	}
	g, err := protected(ctx, r, resolve.VersionKey{
		PackageKey:  resolve.PackageKey{System: system, Name: root.Name},
		VersionType: resolve.Concrete, Version: root.Version,
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return &Graph{Nodes: []Node{{Key: root, Relation: Self}}, Problem: problem(err)}, nil
	}
	out, err := convert(g, root)
	if err == nil {
		out.markUnknown(known.unknown)
	}
	return out, err
}

// problem is why there is no graph. Where the bound is ours it says no more.
func problem(err error) string {
	for _, own := range []error{errTooManyNodes, errProperties, errText} {
		if errors.Is(err, own) {
			return own.Error()
		}
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
func convert(g *resolve.Graph, root catalog.VersionKey) (*Graph, error) {
	if err := g.Canon(); err != nil {
		return nil, err
	}
	if len(g.Nodes) > maxNodes {
		return &Graph{Nodes: []Node{{Key: root, Relation: Self}}, Problem: errTooManyNodes.Error()}, nil
	}
	if len(g.Nodes) == 0 {
		// The library says why there is no graph, and leaves out the root.
		return &Graph{Nodes: []Node{{Key: root, Relation: Self}}, Problem: g.Error}, nil
	}
	out := &Graph{Problem: g.Error}
	for _, n := range g.Nodes {
		one := Node{
			Relation: Indirect, Bundled: strings.Contains(n.Version.Name, ">"),
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
		out.Edges = append(out.Edges, Edge{From: int(e.From), To: int(e.To), Requirement: e.Requirement})
	}
	out.relate()
	return out, nil
}

// requirementsUnknown is the error of a node at which the graph ends because
// what it needs is unknown.
const requirementsUnknown = "its requirements are not known"

func (g *Graph) markUnknown(unknown map[catalog.VersionKey]bool) {
	for i := range g.Nodes {
		if unknown[g.Nodes[i].Key.Canonical()] {
			g.Nodes[i].Errors = append(g.Nodes[i].Errors, requirementsUnknown)
		}
	}
}

// HasHole reports whether something that is needed was not found.
func (g *Graph) HasHole() bool {
	return g.Problem != "" || slices.ContainsFunc(g.Nodes, func(n Node) bool { return len(n.Errors) > 0 })
}

// relate marks the root and what it needs itself.
func (g *Graph) relate() {
	if len(g.Nodes) == 0 {
		return
	}
	for _, e := range g.Edges {
		if e.From == 0 {
			g.Nodes[e.To].Relation = Direct
		}
	}
	g.Nodes[0].Relation = Self
}
