// Package contract tests the client in Go.
package contract
