// Package seedfile has the repositories of a seed file. It does not store.
package seedfile
