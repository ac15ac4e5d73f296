// Package route serves one table of operations in one error envelope.
//
// A Mux is built from a service's route table and from the function that
// writes that service's errors. Whatever goes wrong on the way to a handler or
// inside it (unknown path, wrong method, oversized body, missing or bad
// credential, missing scope, exhausted budget, deadline, panic) is answered by
// that function, so a caller of one service never sees the words of another.
//
// The gates run in this order: Before, match, body size, credential,
// authentication, scopes, a place among the requests in progress, Gate, memory,
// deadline, handler. The Mux logs every failure of the server's making once;
// handlers and envelopes log nothing.
//
// A body has to come at the rate of package arrival, and to be there before the route's deadline
// where there is one. A large answer, or one that streams, has to be read piece by piece, each in
// the time that a part of a body has. A client that closed the connection, or its
// own half of it, gets no answer to what was then not done: the connection is cut.
//
// Package hostmux joins many muxes on one listener, package credential reads what
// callers send to be known by.
//
// The package owns matching, gates and request bookkeeping. It does not know
// who callers are (identity), how budgets are counted (limit), how bodies are
// read (wire) or what an error looks like (the services).
package route
