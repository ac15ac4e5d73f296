// Package ownedrows says which rows of the repositories belong to users and organizations, and
// what becomes of them when their owner is removed.
package ownedrows
