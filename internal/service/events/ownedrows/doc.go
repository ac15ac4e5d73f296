// Package ownedrows says which rows of events belong to users and organizations, and what becomes of
// them when their owner is removed.
package ownedrows
