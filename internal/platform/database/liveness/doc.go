// Package liveness gives up on a database that stands still: one whose process is
// stopped, or whose packets a network drops, keeps every caller waiting without an
// error. A statement that is merely slow is left alone, because the database then
// answers a ping beside it. Neither is a database taken for dead because this process
// was held up: only time in which the process ran counts against the database.
package liveness
