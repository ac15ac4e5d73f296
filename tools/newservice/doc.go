// Command newservice adds a service to the repository: a package with routes, a
// store and tests, its conformance rows, pages, examples and OpenAPI description,
// and its lines in the lists of the app. What it writes passes make test and make
// check at once and is meant to be changed, file by file, into the service that is
// wanted; docs/adding-a-service.md walks through it.
//
//	go run ./tools/newservice NAME LETTER
package main
