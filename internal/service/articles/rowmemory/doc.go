// Package rowmemory bounds the memory of the rows that are read for one answer.
package rowmemory
