// Package tokens is how a program gets access tokens for the article API: the authorize pages, which ask the user and
// send the browser back with a code, and the exchange of the code (RFC 6749, with proof keys of RFC 7636).
//
// It owns the requests, their rules and bodies. Clients, codes and tokens are identity's, the pages are the console's.
// A team access token is asked for on the host of the team and good there only.
package tokens
