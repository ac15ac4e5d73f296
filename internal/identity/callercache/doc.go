// Package callercache keeps in memory who credentials speak for, by the hash of their secret.
package callercache
