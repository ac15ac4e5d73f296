// Package rowmemory counts the memory of rows that are read for a request, so that a list of the longest things, or one
// thing that is very long, is refused where memory is short.
//
// # What is counted
//
// The rows of a query that collects them count together, from 64 KiB on, and of several such queries of a request the
// largest counts: most requests keep one list. Rows that are read by themselves count together, each from 64 KiB on: a
// request that reads several mostly keeps them.
//
// # What is not
//
//   - A shorter row that is read by itself. A request reads few of them, one after the other: what multiplies reads has
//     a bound of its own (places in a batch, fields and steps of a query, nodes of a graph), and where it keeps what it
//     read, its answer is counted.
//   - Rows that a handler iterates over and drops.
//   - What background jobs read: their places are bounded, and so is each row by what a caller could store.
//   - What Elsewhere and Uncounted leave out, whose callers take the memory themselves.
package rowmemory
