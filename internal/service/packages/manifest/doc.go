// Package manifest reads what names packages: lock files, dependency lists and
// software bills of materials. It recognises the format by the content and
// gives the package keys in it.
//
// It owns the formats of others; fetching and storing what they name is the
// business of the service.
package manifest
