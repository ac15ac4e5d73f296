// Package typecheck checks the types of packages from their sources. What they import comes from what the compiler
// exported, so that only the packages themselves are read, and nothing is compiled again after make test.
package typecheck
