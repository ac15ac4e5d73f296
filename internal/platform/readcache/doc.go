// Package readcache keeps rows that were read from the database until the next
// commit.
//
// A user's revision, the calendar that a path names, a code that a device asks
// about again and again: such a row is read by every request and seldom written,
// and reading it is a good part of what the request costs. One process writes an
// SQLite file, so the number of its commits is a revision of everything in it,
// and a row that was read at that number is still what the database would say. On
// PostgreSQL other processes write too; there every call reads.
//
// That a row is not there is kept like a row: who may not see one is told that it is
// not there, and the time of the answer must not tell otherwise.
package readcache
