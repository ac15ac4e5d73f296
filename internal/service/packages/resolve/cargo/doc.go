// Package cargo resolves crates as cargo does for a project that depends on one
// of them with its default features, with resolver 2, for 64-bit Linux with the
// GNU C library.
//
// It works in cargo's two steps. The first chooses versions as a lock file has
// them: for all platforms, with features unified, the greatest version that a
// requirement admits, one for each range of compatible versions and one for each
// native library, backtracking where that fails. The second walks what was chosen
// and keeps what is needed on the platform by the features that are on, those of
// build dependencies apart.
//
// Whether a crate is a procedural macro is not told by the index; it is treated
// as an ordinary one.
//
// The package owns cargo's rules. It does not fetch, store or serve.
package cargo
