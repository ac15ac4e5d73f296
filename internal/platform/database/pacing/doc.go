// Package pacing decides how long the writer of a database waits for further
// transactions before it commits those that it has.
package pacing
