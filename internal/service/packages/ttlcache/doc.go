// Package ttlcache keeps encoded documents of packages in bounded memory, each for
// a limited time. It is not platform/memo because entries have an end and because
// its locks are sharded: every request of the service reads it.
package ttlcache
