// Package stoa is what the examples share: where the server is, and one way to
// call it.
package stoa
