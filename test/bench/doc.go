// Command bench measures a bare net/http server and ours in one run and prints
// the ratios, so that the numbers mean the same on every machine.
//
// Both servers are child processes on loopback. One closed-loop generator
// drives both over kept-alive connections: warm-up, then alternating rounds,
// then the median of the rounds. The generator writes prepared bytes and reads
// just enough of the answer to find its end, so that little of what is
// measured is the generator itself.
//
// Each service adds its rows in a file of its own; result_table.go lists them.
package main
