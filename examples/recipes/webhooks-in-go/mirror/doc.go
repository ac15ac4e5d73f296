// Package mirror keeps a copy of a calendar: it is told that something changed, and
// reads what is new since it last looked.
package mirror
