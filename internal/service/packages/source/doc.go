// Package source reads package registries: one small adapter for each
// ecosystem, all behind the interface Source. An adapter speaks the public
// protocol of its registry, as mirrors in closed networks serve it too, and
// falls back to what a mirror leaves out: the module proxy protocol for Go,
// the package document for npm, the sparse index and the crate archive for
// Cargo, the repository layout for Maven, the simple API (JSON or HTML) for
// PyPI, the V3 protocol for NuGet, the version API or the compact index for
// RubyGems.
//
// A source gives two depths. Package reads the version list and whatever the
// registry tells along with it; Version completes one version. Everything an
// adapter returns has canonical keys. What cannot be read is a *GarbageError
// and nothing is returned with it, so that a broken answer never reaches the
// store.
//
// The package owns parsing and the order of requests. It does not know where
// registries are (platform/registry), what is stored, or who asked.
package source
