// Package transittest is a strict stand-in for the transit engine of a Vault or
// OpenBao server, for tests: real AES-256-GCM, versions, leases, and a refusal
// of every header, path, field and encoding that the true server would not
// expect from this client.
package transittest
