// Package quickadd reads a sentence such as "Lunch with Ada tomorrow 12pm-1pm" as
// an event: what it is called and when it is.
package quickadd
