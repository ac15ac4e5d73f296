// Package profile records what a running server does, for go tool pprof and go tool
// trace: one profile at a time, into a file that only its owner reads, on an operator's
// command. Nothing is recorded, and nothing listens for it, otherwise.
package profile
