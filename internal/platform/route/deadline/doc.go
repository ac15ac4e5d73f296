// Package deadline is a context with a time limit that costs nothing until
// something waits for it.
package deadline
