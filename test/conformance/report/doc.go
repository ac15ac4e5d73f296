// Command report runs the conformance tests, counts per service the rows of
// the contract that pass on both databases, names the rows without a test, and
// writes docs/conformance.md.
//
// It fails when a test fails. A row without a test is named, not an error:
// the count is the truth about how far the product is built.
package main
