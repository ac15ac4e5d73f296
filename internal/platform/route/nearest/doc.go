// Package nearest finds the path of a route table that was meant by one that is not
// in it.
package nearest
