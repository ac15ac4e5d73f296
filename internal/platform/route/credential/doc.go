// Package credential finds what a caller sent to be known by: a bearer token, a
// key in a header or in the query, a pair of keys, the user of Basic. It reads
// shapes only; whose a credential is, identity knows.
package credential
