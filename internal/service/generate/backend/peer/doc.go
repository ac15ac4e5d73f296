// Package peer is the backend that asks servers that speak this very API, another
// Stoa for example. Addresses, tries and bounds are those of every upstream.
package peer
