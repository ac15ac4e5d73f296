// Package definition reads graph definitions: the older form with viz and q and
// the newer widget form with type, queries and formulas.
//
// It knows the words of the language and their bounds, and turns looks (axes,
// markers, formats, styles) into what package chart draws. Queries stay texts;
// package snapshots parses and evaluates them. Every refusal is an [*Error].
package definition
