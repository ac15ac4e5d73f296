// Package refusal says why the code host refuses a request.
//
// All packages of the service raise the same type; the service alone knows which
// status and which body a code has.
package refusal
