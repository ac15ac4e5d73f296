// Package dump reads the portable dumps that packages are moved with: a head, and
// behind it one package a line in the catalog's JSON form, compressed or not.
//
// A dump may come from anywhere, so lines and what they hold have bounds. The
// package owns the format. It does not store.
package dump
