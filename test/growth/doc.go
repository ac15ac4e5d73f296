// Command growth shows how the cost of a call grows with what is stored: it multiplies
// rows of demo worlds in their SQLite files up to each size, serves all worlds, and
// measures in turn calls of the API and pages of the console, the start, the memory,
// the size on disk and a backup.
//
//	go run ./test/growth -sizes 10000,1000000,10000000 -kept test/growth/measured.json -write docs/growth.md
package main
