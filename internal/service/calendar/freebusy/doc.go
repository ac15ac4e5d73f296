// Package freebusy is the question when calendars are busy, and its answer, as the
// calendar API writes them. Reading calendars is the service's.
package freebusy
