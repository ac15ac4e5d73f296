// Package fault writes the error envelope that a whole family of APIs shares:
//
//	{"error":{"code":400,"message":"…","status":"INVALID_ARGUMENT","errors":[…]}}
//
// Labels, tasks, calendar and generate speak it. Each of them keeps its own
// writeError, which knows the service's own codes; what they have in common,
// the body, the canonical words and the answers to the ground errors, is
// decided here once.
package fault
