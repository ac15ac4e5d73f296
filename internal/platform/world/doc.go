// Package world bundles what one isolated set of services stands on.
//
// A world is a database, a blob store, a clock, a source of identifiers, a job
// queue, a set of limit counters, and the folder's root key. A service is
// built from one world and knows no other. Production runs a single world on
// the machine's clock; tests build as many as they like in one process, each
// with its own folder and, if they wish, its own virtual clock.
//
// Open builds the parts in order and, if one fails, closes those before it.
// Close ends everything in reverse: no goroutine outlives its world.
package world
