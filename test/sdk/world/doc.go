// Package world starts the true binary with a demo world in the sdk dialect,
// for tests that drive it with official clients, and notes which operations
// they drove. It is a module of its own without requirements, so that it bends
// no client's module graph.
package world
