// Package resolve compares dependency graphs with what the ecosystems' own
// tools resolve on the same machine from the same registries (make resolve-check),
// and with recorded answers of those tools (make test).
package resolve
