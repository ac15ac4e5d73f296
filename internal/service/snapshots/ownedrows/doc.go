// Package ownedrows says which rows of snapshots belong to users, organizations and teams, and what becomes of
// them when their owner is removed.
package ownedrows
