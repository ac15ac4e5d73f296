// Package reason has the words by which the calendar API refuses a request. The
// service and its inner packages share them; which status goes with a word is the
// service's to know.
package reason
