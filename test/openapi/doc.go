// Command openapi writes an OpenAPI 3.1 description of every service.
//
// Nothing in it is typed by hand. Operations, addresses and who may call come
// from the route tables of the built modules. Bodies come from the source: the
// handler of a route is followed through its package to the types it reads and
// writes through platform/wire, and their JSON tags become schemas. Where a
// service builds its answer piece by piece, the schema is left open.
//
// The descriptions lie in docs/openapi, the binary serves them at
// /docs/openapi/NAME.json, and the test of this package fails when the code has
// moved away from them:
//
//	go run ./test/openapi -write docs/openapi
package main
