// Package secretmembers finds the values of secrets in texts that are written like JSON
// or EDN, by the names of their members.
package secretmembers
