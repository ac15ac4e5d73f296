// Package matrix holds who may do what: every operation of the route tables,
// asked with every kind of credential and on the caller's own, another user's
// and a shared object, against the one table of expected answers in
// expected.tsv.
//
// An operation that the table does not have fails the test, so a new operation
// gets its row with a decision. `go test ./test/matrix -update` writes the table
// from what the server answers; read the difference before you commit it, line
// by line. Rules that no row may break (expected_rows.go) hold besides: an updated
// table cannot make a hole the expected answer.
package matrix
