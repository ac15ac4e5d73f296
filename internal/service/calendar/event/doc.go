// Package event is the event of the calendar API as a document: its members, the
// rules of what a client may say in it, and when it is.
//
// It owns the shape and the checks. Rows, access and recurrence over time are the
// service's.
package event
