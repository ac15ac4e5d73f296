// Package lazydeadline is a time limit whose timer starts when something waits.
package lazydeadline
