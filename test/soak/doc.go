// Package soak holds promises over time: true processes of the binary, real
// connections, writers and readers that go on for as long as they are told.
//
// `make test` runs each promise for a few seconds; STOA_SOAK=1m go test
// ./test/soak runs it for a minute, as the promises are worded.
package soak
