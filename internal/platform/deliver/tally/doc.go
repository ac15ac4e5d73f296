// Package tally counts what deliveries came to and what waits, for the metrics, and says
// what is sealed of them, for stoa check.
package tally
