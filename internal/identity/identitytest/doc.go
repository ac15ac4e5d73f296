// Package identitytest builds a small server around one service for tests: a
// world in a temporary folder on a virtual clock, an identity, and the
// service's handler, once on SQLite and once on PostgreSQL.
//
// It spares every service test the same twenty lines and keeps tests from
// reaching behind a service's interface: they call it over HTTP, as clients do.
package identitytest
