// Package ownedrows says which rows of articles belong to users and teams, and what becomes of
// them when their owner is removed.
package ownedrows
