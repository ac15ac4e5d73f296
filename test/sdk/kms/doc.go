// Package kms drives the key-management plugin with the API server's own code:
// the client of its envelope encryption, and the loader of its encryption
// configuration with transformers and health checks. It is a module of its own,
// so that the product does not depend on what it is tested with.
package kms
