// Package apifamily is what the APIs of one family have in common: the parameters
// that every operation takes, whatever else it does.
//
//	fields                  leaves of an answer the members it names (package fieldmask)
//	prettyPrint             true indents the answer
//	alt                     json, and what the operation offers beside it
//	access_token            the bearer token, for callers that cannot send headers
//	key, quotaUser          accepted; budgets are those of the token's user
//	X-HTTP-Method-Override  the true method of a POST, for callers behind old proxies
//
// A service gives its route table to Routes and its mux options to Options. Both
// keep the service's own envelope: what cannot be taken is a *fault.ParameterError,
// and it is found before the operation changes anything.
//
// Package batch answers many requests in one, package discovery describes the APIs
// to clients that are made from a description.
package apifamily
