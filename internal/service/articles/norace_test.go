//go:build !race

package articles

const raceEnabled = false
