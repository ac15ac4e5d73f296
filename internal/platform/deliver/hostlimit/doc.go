// Package hostlimit bounds the calls to each host, so that a host that hangs, and an owner with many messages, do not
// hold all workers.
package hostlimit
