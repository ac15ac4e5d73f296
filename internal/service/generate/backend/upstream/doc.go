// Package upstream is the backend that asks servers of the OpenAI form.
//
// Client is what such servers and peers (see the package peer) have in common:
// addresses in turn, tries before the first byte, places for callers, and bounds
// on what a server may send. An upstream is as little to be trusted as a caller.
package upstream
