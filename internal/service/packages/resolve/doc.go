// Package resolve turns declared requirements into a dependency graph, as the
// ecosystem's own package manager would on an empty 64-bit Linux machine.
//
// npm, Maven and PyPI are resolved by the library deps.dev/util/resolve, which
// asks for packages through a client of the public API; the package gives it
// a client that answers from the service itself. Cargo, which that library
// lacks, is resolved here: the greatest version that satisfies a requirement,
// one for each range of compatible versions, as cargo does without features.
//
// The package owns resolution. It does not fetch, store or serve.
package resolve
