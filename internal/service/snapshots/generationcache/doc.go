// Package generationcache keeps values that were read from rows. Every change begins a
// new generation, and what was read in an earlier one is not kept: a row that was read
// before a commit and arrives after it would stay for ever.
package generationcache
