// Package resolve turns declared requirements into a dependency graph, as the
// ecosystem's own package manager would on an empty 64-bit Linux machine. Each
// ecosystem's rules are a package below; graph holds what they share.
//
// The package owns the choice of the resolver. It does not fetch, store or serve.
package resolve
