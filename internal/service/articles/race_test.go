//go:build race

package articles

// raceEnabled: the detector makes rendering many times slower and allocates besides.
const raceEnabled = true
