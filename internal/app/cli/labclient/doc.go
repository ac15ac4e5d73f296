// Package labclient calls the control API of a lab for the commands, and turns what it
// refuses into their errors.
package labclient
