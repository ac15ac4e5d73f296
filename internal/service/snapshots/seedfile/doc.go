// Package seedfile has the series of a seed file as the store of metrics takes them. It
// does not store.
package seedfile
