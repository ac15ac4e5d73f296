package pypi

import (
	"errors"
	"fmt"
	"slices"

	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/resolve/graph"
)

// target is the environment that is resolved for.
type target struct {
	python version
	env    environment
}

// newestPatch stands for the newest patch release of a series that is named
// without one.
const newestPatch = 99

// ParsePython reads a Python version such as 3.13 or 3.11.7.
func ParsePython(text string) error {
	_, err := parsePython(text)
	return err
}

func parsePython(text string) (*target, error) {
	v, err := parseVersion(text)
	if err != nil || len(v.release) < 2 || len(v.release) > 3 || v.isPre() || v.segment(0) != 3 {
		return nil, fmt.Errorf("%q is not a Python version such as 3.13", text)
	}
	if len(v.release) == 2 {
		v.release = append(v.release, newestPatch)
	}
	return &target{python: v, env: linux(v)}, nil
}

// Resolver resolves for a version of Python.
func Resolver(python string) (graph.Resolver, error) {
	t, err := parsePython(python)
	if err != nil {
		return nil, err
	}
	return func(l *graph.Lookup, root catalog.VersionKey) (*graph.Graph, error) {
		p := newProvider(l, t)
		v, err := parseVersion(root.Version)
		if err != nil {
			return graph.Failed(root, "its version is not one that pip can read"), nil
		}
		p.pinned[root.Name] = root.Version
		r := &resolution{p: p}
		state, err := r.resolve(&requirement{
			id: root.Name, name: root.Name, specs: []specifier{{op: "==", v: v, text: root.Version}},
		})
		var impossible *impossibleError
		if errors.As(err, &impossible) {
			return graph.Failed(root, impossible.Error()), nil
		}
		if err != nil {
			return nil, err
		}
		return p.graph(root, state)
	}, nil
}

// graph makes the graph of what was pinned: one node for each name, extras
// merged, what is reached from the root alone.
func (p *provider) graph(root catalog.VersionKey, s *state) (*graph.Graph, error) {
	g := &graph.Graph{}
	place := map[string]int{}
	visited := map[string]bool{}
	node := func(c *candidate) int {
		at, ok := place[c.name]
		if !ok {
			at = len(g.Nodes)
			place[c.name] = at
			g.Nodes = append(g.Nodes, graph.Node{Key: c.key()})
		}
		return at
	}
	edges := map[graph.Edge]bool{}
	queue := []string{root.Name}
	for len(queue) > 0 {
		c := s.pin(queue[0])
		queue = queue[1:]
		if c == nil || visited[c.id] {
			continue
		}
		visited[c.id] = true
		from := node(c)
		if len(g.Nodes) > graph.MaxNodes {
			return nil, graph.ErrTooManyNodes
		}
		needs, err := p.dependencies(c)
		if err != nil {
			return nil, err
		}
		for _, r := range needs.list {
			to := s.pin(r.id)
			if to == nil {
				continue
			}
			queue = append(queue, r.id)
			if to.name == c.name {
				continue
			}
			e := graph.Edge{From: from, To: node(to), Requirement: r.text}
			if !edges[e] {
				edges[e] = true
				g.Edges = append(g.Edges, e)
			}
		}
		for _, problem := range needs.problems {
			if !slices.Contains(g.Nodes[from].Errors, problem) {
				g.Nodes[from].Errors = append(g.Nodes[from].Errors, problem)
			}
		}
	}
	g.Relate()
	return g, nil
}
