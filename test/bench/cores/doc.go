// Command cores measures what further processors bring: the same calls with the server and
// its generator bound to one processor and to more, the share of time that is serial,
// a model of both (the universal scalability law), and the locks that many clients
// wait for.
//
//	go run ./test/bench/cores -write docs/performance-cores.md
//
// The generator is never in the measured process: this program starts itself once for
// each pass, bound to the processors of the pass, and that child starts the server.
package main
