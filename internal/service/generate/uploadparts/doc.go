// Package uploadparts reads a body in parts whose last one is a file. What stands before the bytes of
// the file is bounded: a header of a part stays in memory, ten megabytes of it if need be, and the body
// of an upload is not weighed, because it goes to disk.
package uploadparts
