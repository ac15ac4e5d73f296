// Package authorize is what authorization endpoints share (RFC 6749 section 4.1.1):
// reading the request that a browser brings, the rules of response types and proof
// keys, and the page that tells the user what is wrong.
//
// Which clients, scopes and further parameters a request may name is the service's
// to say; the page that asks the user is the console's.
package authorize
