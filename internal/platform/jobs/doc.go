// Package jobs runs durable background work.
package jobs
