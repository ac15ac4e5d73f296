// Package program runs the true binary as a child process: it builds it once,
// starts it on a free loopback port, waits until it says that it is ready, and
// ends it politely or with kill -9.
//
// Stories, the crash test and the benchmarks share it. It knows the command
// line and nothing of what is inside.
package program
