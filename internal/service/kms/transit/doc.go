// Package transit keeps the key-encryption key in the transit engine of a
// Vault or OpenBao server and reaches it over its HTTP API.
//
//	GET  /v1/MOUNT/keys/KEY           the versions
//	POST /v1/MOUNT/keys/KEY/rotate    a new version
//	POST /v1/MOUNT/encrypt/KEY        wrap, with the version pinned
//	POST /v1/MOUNT/decrypt/KEY        unwrap
//	POST /v1/auth/APPROLE/login       a token for a role
//	GET  /v1/auth/token/lookup-self   how long a given token is valid
//	POST /v1/auth/token/renew-self    a later end
//
// The policy of the token needs read on keys/KEY, update on encrypt/KEY and
// decrypt/KEY, and update on keys/KEY/rotate if it shall rotate.
//
// A token is renewed after two thirds of its time. A role logs in
// again when that fails; a token file is read again.
package transit
