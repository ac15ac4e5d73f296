// Package databasetest runs a test once per database.
package databasetest

import (
	"testing"

	"stoa.dev/stoa/internal/platform/database"
)

// Run runs fn as parallel subtests "sqlite" and "postgres".
func Run(t *testing.T, fn func(t *testing.T, db *database.DB), sets ...database.Migrations) {}

// SQLite is a migrated database in a temporary folder.
func SQLite(t testing.TB, sets ...database.Migrations) *database.DB { return nil }

// Postgres is a migrated database of its own.
func Postgres(t testing.TB, sets ...database.Migrations) *database.DB { return nil }

// PostgresURL is the URL of an empty database of its own.
func PostgresURL(t testing.TB) string { return "" }
