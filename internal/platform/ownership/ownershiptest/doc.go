// Package ownershiptest checks that the statements of a module about its owners' rows count or delete what they say,
// in tables of its own.
package ownershiptest
