// Command openapi writes an OpenAPI 3.1 description of every service.
//
// What an operation does and what its parameters mean is said in reference.tsv beside
// the routes of the service, or in the comment of the handler: its first sentence is
// the summary, the rest the description. Parameters that mean the same in every service
// are in parameters.tsv. An operation or a parameter without words is an error, and
// so are words about what is not there. Everything else is read. Operations, addresses and who may call come
// from the route tables of the built modules. Bodies come from the source: the
// handler of a route is followed through its package to the types it reads and
// writes through platform/wire, and their JSON tags become schemas.
//
// Where a service builds its answer piece by piece, the source does not say what
// it sends. There, and where the source seems to say something else than what is
// sent, the answer's shape and status are those that the conformance suite and the
// random requests of test/matrix were given; folder answers holds them. An answer that
// neither knows is left open. What refuses is described as one answer, default: the
// envelope of the service, and what else an operation was seen to refuse with.
// Objects that occur in several learnt answers become one component.
//
// The descriptions lie in docs/openapi, the binary serves them at
// /docs/openapi/NAME.json, and the test of this package fails when the code has
// moved away from them. `make openapi` learns and writes; what needs no new
// answers is written by
//
//	go run ./test/openapi -write docs/openapi
//
// A struct without JSON tags is a type of the domain and never an answer; a field
// without a tag in a described type is an error.
//
// Every ordinary run of the conformance suite and of the random requests holds what it is
// answered against the descriptions: a status, a media type, a member or a type that they
// do not know fails its test.
package main
