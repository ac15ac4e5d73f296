// Package backlog says how long jobs have waited beyond their time, for operators: a
// queue that is long is not yet behind, one whose oldest job is old is.
package backlog
