// Package failures names the refusals of the calendar service, for rules of the lab.
package failures
