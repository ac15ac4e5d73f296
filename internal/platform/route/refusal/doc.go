// Package refusal tells refusals from failures: errors that a service answers with a status
// of server errors, because its contract has no other, though nothing of the server failed.
// Every caller can bring one about at will, so it is no reason to call an operator.
package refusal
