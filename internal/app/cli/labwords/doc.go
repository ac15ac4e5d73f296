// Package labwords turns what a lab says to a client of its API into what helps at the
// command line: flags and commands in place of members and calls.
package labwords
