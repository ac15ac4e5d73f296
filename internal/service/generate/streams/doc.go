// Package streams writes an answer to a caller in chunks as they are made: server-sent events or the
// elements of one JSON array. Headers wait for the first chunk, so that early failures have a status,
// and not for longer than clients do.
package streams
