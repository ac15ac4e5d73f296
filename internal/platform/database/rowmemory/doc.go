// Package rowmemory counts the memory of rows that are collected for a request, so that a list of the longest things is
// refused before it is whole where memory is short.
package rowmemory
