// Package bytepairs splits text by the byte-pair vocabulary cl100k_base.
//
// The vocabulary is a hundred thousand words. A release carries them packed (build
// tag packed, made by tools/pack): as the literal of a library they would take
// six times as much of the binary. Without the tag they are read from that library,
// against which the tests compare every split.
package bytepairs
