// Package soak holds promises over time: true processes of the binary, real
// connections, writers and readers that go on for as long as they are told.
//
// `make test` holds each promise for a few seconds; go test ./test/soak -args -for=5m holds it
// for five minutes, and the same command with -for=72h for three days.
package soak
