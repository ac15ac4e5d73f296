// Package docs carries the documentation in the binary, so that a server shows
// the pages of its own version without a network.
//
// It holds the files and nothing else; console/manual renders and serves them. What
// make builds carries them as one archive (build tag packed, made by tools/pack), which
// takes half as much of the binary.
package docs
