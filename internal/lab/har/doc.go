// Package har writes records of a journal as an HTTP archive (HAR 1.2), which
// browsers and most tools for HTTP read.
//
// Times are the world's. What the format has no member for stands in members that
// begin with an underscore, as it allows: service, operation, caller, reason, fault,
// limits, unread members and what the request caused.
package har
