// Package charts draws the picture of the snapshots benchmark with other
// libraries, side by side with ours: go test -bench .
//
// It is a module of its own, so that those libraries are no dependency of Stoa.
package charts
