// Package conformance holds the contract's rows and the harness that proves
// them: a world with every service, started in this process on a free port,
// once on SQLite and once on PostgreSQL, and driven over its true HTTP face.
//
// Each service has one file here, <service>_test.go, with one subtest per row,
// named by the row's id. The command in report counts them and writes
// docs/conformance.md.
//
// Every address that an answer of any row names is asked for when the row ends: one
// that leads nowhere, for the caller and for everybody else whom the row knows, fails it.
//
// It does not own the rows' meaning: that is the contract's. rows.tsv carries
// ids and short titles only, so that a missing row can be named.
package conformance
