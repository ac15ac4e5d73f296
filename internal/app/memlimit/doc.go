// Package memlimit finds how much memory the process may use, gives the number to
// the Go runtime, and returns what a start needed and serving does not.
//
// It concerns the whole process, however many worlds it holds.
package memlimit
