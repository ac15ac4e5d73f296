// Package failures names the refusals of the packages service, for rules of the lab.
package failures
