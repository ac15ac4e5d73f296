// Package ownedrows says which rows of generate belong to users, and what becomes of
// them when their owner is removed.
package ownedrows
