// Package signing keeps the private keys of a world and signs id tokens with them:
// JSON Web Tokens (RFC 7519) under RS256, the one algorithm that every client of
// OpenID Connect knows.
//
// # Rotation
//
// The first key is made when it is first asked for. Once the newest is 30 days old
// another is made and published; it signs a day later, when every client that keeps
// the published keys for a day has seen it. The one before stays published until the
// next is made, long after the last token it signed has expired. All of this follows
// the world's clock and needs no job: several processes on one database agree through
// the rows.
//
// # At rest
//
// Private keys are sealed under the root key and bound to their row of the table
// identity_signing_keys. A key's id is its thumbprint (RFC 7638).
package signing
