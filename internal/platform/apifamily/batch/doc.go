// Package batch answers many requests of the API family in one: a POST of
// multipart/mixed whose parts are HTTP requests is answered by parts that are HTTP
// answers, in the same order.
//
//	POST /batch/NAME/VERSION   requests of one API
//	POST /batch                requests of any of them
//
// Parts run one after the other through the handler of their service, so that
// each is authorized, limited, counted and logged as if it had come alone. A
// part takes over the headers of the batch that it does not have itself, the
// credential among them; what is about the body of the batch is not for parts. The answer
// to a part with the Content-ID <x> has <response-x>.
//
// What a batch takes of the memory is charged to the caller of its own credential once that was verified, else to
// the network that it came from, whatever credentials it and its parts claim.
//
// A batch has as many parts as its API allows and 10 MiB, a part's request 1 MiB. What cannot be read
// as a batch is refused before any part runs. A part that is no request, or not one of
// the API, is answered for itself with 400 or 404; so is a batch inside a batch. Answers are sent as
// they come: no more than one of them is in memory.
package batch
