// Package graph holds what all resolvers share: the shape of a dependency
// graph, the interface to the store that answers them, and Lookup, through
// which a resolver asks.
//
// Registries are far away, so a resolver does not wait for each answer. It runs
// in passes: what is stored is answered at once, what is not is asked for beside
// the pass and answered as missing for now, so that one pass asks for all that
// can be known to be needed. When the answers are there the resolver runs again,
// until a pass has missed nothing. A resolver that can tell from one answer what it
// is going to ask next says so with Ahead, and needs no pass for each level of a graph.
//
// The package owns no ecosystem's rules.
package graph
