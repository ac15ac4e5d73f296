// Package shellcompletion answers a shell that asks what may stand next on a command line: the names of services and
// of the worlds of a lab, the choices of a flag, files where one is taken, and nothing elsewhere.
package shellcompletion
