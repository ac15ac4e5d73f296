// Package readerpool keeps connections that cannot write: a bounded number of them, the
// first opened ahead, and those not in use closed when their memory is wanted.
//
// They are kept here and not by database/sql, so that each has its own prepared
// statements without a search among all of them.
package readerpool
