// Package passwords has the rule for new passwords and hashes them with argon2id
// (RFC 9106), in the PHC string format. At most a few hashes are computed at a time,
// so that a burst of sign-ins cannot exhaust memory. It knows no users and no store.
package passwords
