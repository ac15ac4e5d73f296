// Package gomod resolves Go modules by minimal version selection, as go list -m
// all does in a module that needs one version and nothing else: the greatest of
// the versions that any go.mod asks for, with the graph pruned where a go.mod is
// of Go 1.17 or later.
//
// The package owns the go command's rules. It does not fetch, store or serve.
package gomod
