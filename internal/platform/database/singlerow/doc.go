// Package singlerow changes one row and reads what became of it, in the way that is the
// fastest on each engine.
//
// PostgreSQL answers a statement with RETURNING in the same round trip. SQLite keeps the
// answer in a table that it makes for the statement, and first copies every page that the
// statement changes, since it takes any statement with RETURNING for one of many rows. A
// read after the change costs it less: a third of the time of an update, and a fifth of
// that of an insert into a table with some indexes.
package singlerow
