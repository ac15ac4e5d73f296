// Package runner calls functions one after the other in a goroutine that is kept: one that
// is new for each grows its stack each time, which takes longer than a small job does.
package runner
