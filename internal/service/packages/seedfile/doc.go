// Package seedfile has the packages of a seed file and those of the demo as the
// catalog keeps them. It does not store.
package seedfile
