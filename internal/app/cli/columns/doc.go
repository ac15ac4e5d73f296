// Package columns lays out tables for terminals, and for files and pipes, which have no
// width.
package columns
