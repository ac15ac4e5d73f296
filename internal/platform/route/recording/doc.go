// Package recording shows the bodies of a request and its answer to the journal as
// they pass through a mux.
package recording
