// Package address says by which address a request reached its world.
//
// A process that serves one world answers with the address it is configured with,
// whatever a request says. One that serves several worlds puts the address that was
// asked into the request's context, so that every link of the answer leads back to
// the same world.
package address
