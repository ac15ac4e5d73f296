// Package drive is the load generator that the benchmarks and the comparison
// with peers share, so that every server is asked in the same way.
//
// Load is a closed loop over kept-alive connections: it writes prepared bytes
// and reads just enough of the answer to find its end, so that little of what
// is measured is the generator itself. Loop does the same for calls that are
// not HTTP/1.1. Both warm up first and count only what began and ended inside
// the measured part.
package drive
