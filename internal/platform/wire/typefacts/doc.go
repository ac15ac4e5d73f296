// Package typefacts finds out what Go types hold, once for each type: a fact about a
// type never changes, and finding it costs more than decoding a small body.
package typefacts
