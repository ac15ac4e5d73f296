// Package library resolves npm and Maven with deps.dev/util/resolve, which asks for
// packages through a client of the public API; the package gives it a client that
// answers from a Lookup.
//
// The package owns the bounds that the library lacks. It does not fetch, store or
// serve.
package library
