// Package memo remembers answers that were made and encoded before.
//
// The key of an answer names everything it was made of, above all the version
// of its data, which is read from the database on every request. So a kept
// answer is never stale, on one process or on many: when the data changes, the
// key does. What nobody asks for any more is pushed out by what is asked for.
//
// The package owns the bound on memory. What a version is, and what belongs
// into a key, is the services' to know.
package memo
