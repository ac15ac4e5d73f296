// Package hostlimit bounds the calls to each host with its port, so that one that hangs, and an owner with many
// messages, do not hold all workers.
package hostlimit
