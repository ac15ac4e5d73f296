// Package demo makes the points of the demo world: a day of a small web shop with
// four hosts, requests by service and latencies as a distribution.
//
// It makes points and nothing else; package snapshots stores them.
package demo
