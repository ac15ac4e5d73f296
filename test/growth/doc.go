// Command growth shows how the cost of a call grows with what is stored: it serves a
// demo world, multiplies rows of it in the SQLite file up to each size, and measures
// calls of the API and pages of the console, the start, the memory, the size on disk
// and a backup.
//
//	go run ./test/growth -sizes 10000,1000000,10000000 -write docs/growth.md
package main
