// Package refusal says why the article service refuses a request.
//
// All packages of the service raise the same type; the service alone knows which status a kind has.
package refusal
