// Package refusal says why the snapshots service refuses a request.
//
// All packages of the service raise the same type; the service alone knows which status a code has.
package refusal
