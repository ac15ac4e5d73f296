// Package report writes what was found about the clients of a world: as text, JSON, a
// page, JUnit and SARIF.
//
// A report holds times of the world and no durations, so that the same client in the
// same world has the same report byte for byte.
package report
