// Package integrity looks for damage in everything that a world stores: the pages and
// references of its database, the bytes of its blobs, its keys, and what services keep
// beside their rows, such as git repositories.
//
// It only reads. It runs in the process that owns the store, while that serves requests
// or without a server; what was changed while it looked is looked at twice before it is
// called damaged.
package integrity
