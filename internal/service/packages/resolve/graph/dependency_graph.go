package graph

import (
	"errors"
	"slices"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/service/packages/catalog"
)

// Why a resolution is given up.
var (
	ErrTooManyNodes = errors.New("the graph has too many nodes")
	ErrText         = errors.New("a requirement is longer than any package manager writes")
)

// MaxNodes bounds a graph; the largest real ones have some thousand nodes.
const MaxNodes = 10000

// RequirementsUnknown is the error of a node at which the graph ends because
// what it needs is unknown.
const RequirementsUnknown = "its requirements are not known"

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

// Failed is the graph of a root that could not be resolved.
func Failed(root catalog.VersionKey, problem string) *Graph {
	return &Graph{Nodes: []Node{{Key: root, Relation: Self}}, Problem: problem}
}

// GaveUp is the graph that says why there is none, if the error is a bound of
// ours. Other errors are returned.
func GaveUp(root catalog.VersionKey, err error) (*Graph, error) {
	var over *budget.StepsError
	switch {
	case errors.As(err, &over):
		return Failed(root, over.Error()), nil
	case errors.Is(err, ErrTooManyNodes):
		return Failed(root, ErrTooManyNodes.Error()), nil
	case errors.Is(err, ErrText):
		return Failed(root, ErrText.Error()), nil
	}
	return nil, err
}

// HasHole reports whether something that is needed was not found.
func (g *Graph) HasHole() bool {
	return g.Problem != "" || slices.ContainsFunc(g.Nodes, func(n Node) bool { return len(n.Errors) > 0 })
}

// Relate marks the root and what it needs itself.
func (g *Graph) Relate() {
	if len(g.Nodes) == 0 {
		return
	}
	for i := range g.Nodes {
		g.Nodes[i].Relation = Indirect
	}
	for _, e := range g.Edges {
		if e.From == 0 {
			g.Nodes[e.To].Relation = Direct
		}
	}
	g.Nodes[0].Relation = Self
}
