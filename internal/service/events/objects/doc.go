// Package objects holds what the answers about users, organizations, repositories and
// their content look like, and builds it from what identity and the forge know.
//
// It is shapes and addresses only: it asks no store, decides nothing about who may see
// what, and knows no request. The service hands it values and the address that links
// begin with.
package objects
