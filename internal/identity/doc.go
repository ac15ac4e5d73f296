// Package identity knows who is calling: people, organizations, teams,
// OAuth clients, tokens, API and application keys, and the scopes of all
// services. It states facts; every service speaks its own words about them.
//
// # What it owns
//
// Users and organizations share one name space, compared without regard to
// case, because repositories are addressed OWNER/NAME. Teams have a name space
// of their own: a team's name is a host label. A client of type service is a
// service account: it owns a user row of kind service, so that whatever a
// service stores per user works for service accounts unchanged.
//
// Tokens and keys are rows of one table, found by the SHA-256 of the secret.
// The secret itself is returned once, by the call that made it, and is never
// stored or logged. Passwords are argon2id; at most a few are computed at a
// time, so that a burst of sign-ins cannot exhaust memory.
//
// # Resolving a credential
//
// Resolve turns a presented secret into a Caller. On SQLite one process owns
// the data, so live callers are kept in a bounded memory cache that every
// change empties as far as it could be affected, in the commit hook of the
// transaction that made the change. On PostgreSQL several processes share the
// data, so each call asks the database once and revocation holds everywhere
// at once. Expiry is judged on the world's clock on both.
//
// Tokens and keys die at the instant they expire; a key's days are 24 hours
// each.
//
// The time of last use is kept in memory and written in batches, so that
// reading never costs a write.
//
// # Grants
//
// A grant is a permission on its way from a person to an application, by an
// authorization code or a device code. It becomes tokens once, of one family:
// a code or a refresh token that is presented twice ends the family (RFC 9700).
// Whether the person may still act is asked in the transaction that issues.
//
// # What it does not own
//
// Profile fields, permissions on a service's resources and every error
// envelope belong to the services. Pages belong to the console, which hands them
// over as Pages, so that services can show them without knowing it; the sessions
// they rest on are rows here.
package identity
