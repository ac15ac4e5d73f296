// Package script is the backend that answers from rules: first the operator's,
// then what the request itself asks for (functions, a schema), then the built-in
// ones. It needs no weights and is deterministic, for tests of clients.
package script
