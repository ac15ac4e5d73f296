// Package tokens is how a program gets tokens for the analytics API: the device
// grant (RFC 8628) below /dag, the authorization code grant with and without
// proof keys (RFC 6749, RFC 7636) and the refresh below /oauth2.
//
// It owns the requests, their rules and the bodies of both. Grants and tokens are
// identity's, the pages that a user sees are the console's, and the form of a
// failure is that of package oauth.
package tokens
