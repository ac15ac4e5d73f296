//go:build race

package jobs

// The race detector makes the pure Go database many times slower.
const crowdSize = 300
