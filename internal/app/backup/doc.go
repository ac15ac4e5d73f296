// Package backup copies everything of a world to a folder, as of one moment and while it
// is served, and brings it back.
//
// Files that never change are copied first. Then the rest is copied while nothing is
// written (SQLite), or the rows are read in one transaction (PostgreSQL) and the rest is
// copied after them: what the rows refer to was there before they were read. Every file is
// flushed and stands with its SHA-256 in the list of the backup, which is compared before
// anything is restored. Nothing is overwritten on either way.
package backup
