// Package provider is what the key providers of the key-management plugin share:
// versions of a key, errors, the JSON client that calls a remote, and logins with
// the libraries of vendors.
//
// The providers themselves are the sibling packages; the interface that they
// satisfy is declared by the plugin.
package provider
