// Package cache keeps items and users as they are sent, where one process owns the database.
//
// It is exact: every change forgets what it touches before its writer is answered, and what was read before a change
// and arrives after it is not kept. Where another process may change rows nothing is put.
package cache
