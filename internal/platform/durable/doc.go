// Package durable has what was written on the disk before the caller goes on: files that are replaced in one step, and
// the entries of folders.
package durable
