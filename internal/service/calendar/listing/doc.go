// Package listing reads a list in pages and in changes since the last reading.
//
// It owns what page and sync tokens carry and when they are refused. Every change
// of a collection has a number, so that "what changed since" is a range of numbers
// and a token is a sealed number.
package listing
