// Package disk breaks what lies below the database: the tail of a log that a power cut
// tore, and calls of the operating system that fail.
//
// What was acknowledged before the break is there afterwards, or the start is refused
// with a reason; nothing is lost in silence.
package disk
