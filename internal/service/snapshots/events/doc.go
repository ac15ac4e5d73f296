// Package events keeps what happened, such as a deployment, beside the metrics of its owner: graphs show events as
// bands.
//
// It checks and stores events, lists them, and reads the search language in which graphs ask for them. How events are
// sent and drawn is the service's.
package events
