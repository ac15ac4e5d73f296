//go:build !race

package program

// raceEnabled reports whether this process was built with the race detector.
const raceEnabled = false
