// Package tasks drives service C with the official Go and npm clients,
// unmodified, against the true binary.
package tasks
