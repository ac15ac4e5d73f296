// Package requestid names requests for the log and for callers.
package requestid
