// Command sdks runs the tests under test/sdk and writes what they prove: which
// official client, in which version, drove which operation of which service, and
// what was asserted.
//
// Nothing in the page is typed by hand. Versions come from the manifests that
// pin the clients, operations from the server's own counters, assertions from
// the names of the tests that passed. An operation that an earlier page shows
// and this run did not see is an error: evidence may grow and not shrink.
//
// A folder of test/sdk is a Go module with tests of Go clients, of npm clients in
// npm, and of Python clients in python/NAME, each with a requirements.txt and
// scripts test_*.py; see world.PythonClients. A tool of its go.mod is a client that is a
// program. conduct.tsv says why a client breaks a rule of conduct there: a finding without
// a reason is an error, advice aside, and so is a reason without a finding. models.txt names
// models with which the tests run once more, pulled by every server; see world.Model.
//
//	go run ./test/sdks -write docs/sdks.md                  # all of them
//	go run ./test/sdks -write docs/sdks.md -only snapshots  # one section again
package main
