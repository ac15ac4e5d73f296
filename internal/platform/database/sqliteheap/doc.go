// Package sqliteheap gives SQLite its memory.
//
// The engine's own allocator takes one lock for the whole process. Reading a schema of some hundred
// tables allocates thousands of times, so connections that open at once, as those of many new worlds
// do, waited for each other more than they worked. Here every connection takes one of several heaps,
// each with a lock of its own; memory goes back to the heap that it came from, whichever connection
// frees it.
//
// It is a setting of the engine and therefore of the process: Install is called before the first
// connection opens, and has an effect once.
package sqliteheap
