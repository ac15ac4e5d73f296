package gomod

import (
	"errors"
	"strconv"
	"strings"

	"golang.org/x/mod/semver"

	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/resolve/graph"
)

// module is one version with what its go.mod asks for.
type module struct {
	key catalog.VersionKey
	// pruned means that its go.mod names all that its packages need.
	pruned   bool
	needs    []catalog.Requirement
	problems []string
}

// walk reads the go.mod files that count.
type walk struct {
	lookup *graph.Lookup
	read   map[catalog.VersionKey]*module
	// order is what was read, in the order it was asked for.
	order []*module
	// whole are those whose requirements are followed to the end.
	whole map[catalog.VersionKey]bool
	// selected is the greatest version of a module that was asked for.
	selected map[string]string
}

// Resolve makes the graph of a module.
func Resolve(l *graph.Lookup, root catalog.VersionKey) (*graph.Graph, error) {
	w := &walk{
		lookup: l, read: map[catalog.VersionKey]*module{}, whole: map[catalog.VersionKey]bool{},
		selected: map[string]string{},
	}
	if err := w.follow(root); err != nil {
		return nil, err
	}
	return w.graph(root)
}

// step is a module to be read, pruned or to the end.
type step struct {
	key   catalog.VersionKey
	whole bool
}

// follow reads the root and, as far as the graph is not pruned, what it needs.
func (w *walk) follow(root catalog.VersionKey) error {
	w.selected[root.Name] = root.Version
	for queue := []step{{key: root}}; len(queue) > 0; {
		s := queue[0]
		queue = queue[1:]
		if s.whole && w.whole[s.key] {
			continue
		}
		w.whole[s.key] = w.whole[s.key] || s.whole
		m, err := w.module(s.key)
		if err != nil {
			return err
		}
		for _, need := range m.needs {
			if semver.Compare(need.Requirement, w.selected[need.Name]) > 0 {
				w.selected[need.Name] = need.Requirement
			}
			if s.whole || !m.pruned {
				next := catalog.VersionKey{System: catalog.Go, Name: need.Name, Version: need.Requirement}
				queue = append(queue, step{next, true})
			}
		}
	}
	return nil
}

func (w *walk) module(k catalog.VersionKey) (*module, error) {
	if m := w.read[k]; m != nil {
		return m, nil
	}
	if len(w.read) > graph.MaxNodes {
		return nil, graph.ErrTooManyNodes
	}
	m := &module{key: k}
	needs, err := w.lookup.Requirements(k)
	switch {
	case errors.Is(err, graph.ErrNotFound) || err == nil && needs.Go == nil:
		m.problems = append(m.problems, graph.RequirementsUnknown)
	case err != nil:
		return nil, err
	default:
		m.needs = append(append(m.needs, needs.Go.Direct...), needs.Go.Indirect...)
		m.pruned = needs.Install != nil && prunes(needs.Install.GoVersion)
		if err := w.lookup.SpendSteps(len(m.needs) + 1); err != nil {
			return nil, err
		}
	}
	w.read[k] = m
	w.order = append(w.order, m)
	return m, nil
}

// prunes reports whether a go.mod of this language version names all that its
// packages need: 1.17 and later.
func prunes(version string) bool {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return false
	}
	major, err := strconv.Atoi(parts[0])
	minor, errMinor := strconv.Atoi(digits(parts[1]))
	return err == nil && errMinor == nil && (major > 1 || minor >= 17)
}

// digits is the number that a text begins with.
func digits(text string) string {
	end := 0
	for end < len(text) && text[end] >= '0' && text[end] <= '9' {
		end++
	}
	return text[:end]
}

// graph is the selected versions. What a version that is not selected asked for
// counts too; its edges are those of the selected one.
func (w *walk) graph(root catalog.VersionKey) (*graph.Graph, error) {
	g := &graph.Graph{}
	place := map[string]int{}
	node := func(name string) int {
		at, ok := place[name]
		if !ok {
			at = len(g.Nodes)
			place[name] = at
			g.Nodes = append(g.Nodes, graph.Node{Key: catalog.VersionKey{
				System: catalog.Go, Name: name, Version: w.selected[name],
			}})
		}
		return at
	}
	node(root.Name)
	seen := map[graph.Edge]bool{}
	for _, m := range w.order {
		from := node(m.key.Name)
		if m.key == g.Nodes[from].Key {
			g.Nodes[from].Errors = m.problems
		}
		for _, need := range m.needs {
			e := graph.Edge{From: from, To: node(need.Name), Requirement: need.Requirement}
			if e.From != e.To && !seen[e] {
				seen[e] = true
				g.Edges = append(g.Edges, e)
			}
		}
		if len(g.Nodes) > graph.MaxNodes {
			return nil, graph.ErrTooManyNodes
		}
	}
	g.Relate()
	return g, nil
}
