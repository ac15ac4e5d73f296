// Package activity turns what happens in the forge into the facts of an event, and the
// facts into the payload that the contract prints.
//
// Facts are payloads without what depends on where the server can be reached, which is
// not known when they are written.
package activity
