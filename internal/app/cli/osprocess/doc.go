// Package osprocess is what differs between operating systems in starting, watching
// and ending another process of the program, and in handing signals on to a command.
package osprocess
