// Package identity knows who is calling: users, organizations, teams, OAuth
// clients, tokens, API and application keys, sessions of browsers, and the scopes of
// all services. It states facts; every service answers in the words of its contract.
//
// Inner packages: grants turns a user's permission into tokens, commands are the
// operator's, passwords hashes, oidc signs users in at a provider. Grants and commands
// use exported methods; those whose names end in In work inside the caller's transaction.
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
// stored or logged.
//
// # Resolving a credential
//
// Verify turns a presented secret into a Caller. On SQLite one process owns
// the data, so live callers are kept in a bounded memory cache that every
// change empties as far as it could be affected, in the commit hook of the
// transaction that made the change. On PostgreSQL several processes share the
// data, so each call asks the database once and revocation holds everywhere
// at once. Expiry is judged on the world's clock on both, to the instant; a key's
// days are 24 hours each.
//
// The time of last use is kept in memory and written in batches, so that
// reading never costs a write.
//
// # What it does not own
//
// Profile fields, permissions on a service's resources and every error
// envelope belong to the services. Pages belong to the console, which provides
// them as Pages, so that services can show them without importing it; the sessions
// behind them are rows here.
package identity
