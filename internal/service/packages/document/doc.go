// Package document holds the documents of packages and versions as they are
// served: encoded once, when they are stored, for both API versions.
package document
