// Package fieldmask reads the parameter fields of the calendar API and leaves of
// an answer the members that it names.
package fieldmask
