// Package commands is the operator's command line for what a world has beside its services: background jobs, messages
// to addresses outside, the audit trail, and requests as they are answered.
package commands
