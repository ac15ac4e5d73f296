// Package watched stands before a blob store: it gives the failures of disks
// their kind, so that every caller and every envelope sees the same few errors
// whichever store is behind it, and it counts what the store did.
package watched
