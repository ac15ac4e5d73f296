// Package pageviews counts page views in memory until they are written, so that
// reading a page writes nothing.
//
// A Counter belongs to one process. What it counted and did not write yet is lost
// when the process is killed; Flush writes everything.
package pageviews
