// Package gh drives the code host of the true binary with the unmodified terminal
// program of its vendor, over HTTPS as that program insists. It is a module of its
// own, so that the program bends no client's module graph.
package gh
