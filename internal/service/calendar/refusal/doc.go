// Package refusal says why the calendar API refuses a request, in its words. The
// service and its inner packages share them; which status goes with a word is the
// service's to know.
package refusal
