// Package refusal says why the service refuses a call.
//
// All packages of the service raise the same type; the service alone knows which status and which body a code has.
package refusal
