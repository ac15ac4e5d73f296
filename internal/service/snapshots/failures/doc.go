// Package failures names the refusals of the snapshots service, for rules of the lab.
package failures
