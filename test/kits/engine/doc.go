// Package engine stands in for the API of a container engine, for tests of what talks
// to one where there is none. A container is the program itself, started on loopback
// with the command and the variables of the container; its one port is mapped to the
// one that it listens on. Images, networks and everything else exist in name only.
package engine
