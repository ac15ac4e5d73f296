// Package blobtest holds the suite that every blob store passes. A store is given by a function that opens it, so
// that the suite can close it and open it again as a new process would.
package blobtest
