// Package databasetest gives every test a database of its own, on both engines.
//
// SQLite is a file in the test's temporary folder, without fsync. PostgreSQL
// is one throw-away cluster per user and temporary folder, shared by all test
// binaries that run at the same time and stopped half a minute after the last
// of them ended. It listens on a unix socket only. Each test gets a database
// copied from a template that was migrated once per list of migrations.
//
// Without PostgreSQL on the machine a test is skipped, and fails when CI=true.
// STOA_TEST_POSTGRES may name a server to use instead of a throw-away cluster;
// its user must be allowed to create databases.
package databasetest
