// Package seedfile has the calendars of a seed file. It does not store.
package seedfile
