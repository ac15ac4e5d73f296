// Package laststart keeps with a data folder how its server was started: the addresses it
// took and the flags it was given, for the next start that is told neither.
package laststart
