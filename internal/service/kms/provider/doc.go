// Package provider holds what every key provider of the key-management plugin
// shares: how it names versions of its key, how it says what went wrong, and
// the small JSON client that the HTTP providers call their remote with.
//
// The providers themselves are the packages beside it; the interface they
// satisfy is declared by the plugin.
package provider
