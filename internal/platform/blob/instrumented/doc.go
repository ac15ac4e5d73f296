// Package instrumented counts the operations of a blob store, and gives the failures of disks
// their kind, so that every caller and every envelope sees the same few errors
// whichever store is behind it.
package instrumented
