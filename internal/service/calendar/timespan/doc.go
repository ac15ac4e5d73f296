// Package timespan has windows of time.
package timespan
