// Package listentry is a calendar on a user's list, as a document: its members, and the
// rules of what a client may say in it. Rows and access are the service's.
package listentry
