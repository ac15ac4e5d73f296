//go:build race

package markdown

// raceEnabled: the detector makes rendering many times slower and allocates more.
const raceEnabled = true
