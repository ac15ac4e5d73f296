// Package page reads and writes the ways in which lists are cut into pages:
// page numbers, Link headers, and opaque page tokens.
//
// It owns the arithmetic, the bounds, the statement that reads a page of rows and
// the seal of tokens. Which names a contract gives its parameters, what it answers
// to a page out of bounds and which headers it sends belongs to the services.
package page
