//go:build !race

package program

// raceEnabled tells whether this process was built with the race detector.
const raceEnabled = false
