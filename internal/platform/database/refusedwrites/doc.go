// Package refusedwrites marks contexts in which the database refuses to write, as if
// the disk were full or the database busy.
package refusedwrites
