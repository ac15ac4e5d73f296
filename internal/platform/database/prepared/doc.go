// Package prepared keeps the prepared statements of one SQLite connection, and
// writes their texts as SQLite plans and binds them fastest.
package prepared
