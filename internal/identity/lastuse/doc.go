// Package lastuse keeps times of last use in memory until they are written to the database.
package lastuse
