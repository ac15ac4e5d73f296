// Package cache keeps items and users as they are sent, where one process owns the database.
//
// It is exact: every change forgets what it touches before its writer is answered, and what was read before a change
// and arrives after it is not kept. Where another process may change rows nothing is put.
//
// # What it keeps in memory
//
// Where one process owns the database (SQLite), items and users that were read are
// kept as they are sent, up to 32 MB and 8 MB. Every change forgets what it touches
// before its writer is answered, so both are exact. On PostgreSQL nothing is kept,
// because another process may change it: a version that is read from the database for
// every answer would cost nearly half of what answering from memory takes.
package cache
