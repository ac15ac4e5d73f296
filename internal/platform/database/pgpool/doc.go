// Package pgpool opens the two pools of connections to PostgreSQL, writing and
// reading, from the connection strings that operators have: several hosts,
// target_session_attrs, and a pooler such as pgbouncer in transaction mode between,
// where nothing of a session may outlive a transaction.
package pgpool
