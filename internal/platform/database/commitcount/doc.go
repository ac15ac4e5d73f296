// Package commitcount counts the commits of a database that one process writes, so
// that what was read before is known to be what would be read now.
package commitcount
