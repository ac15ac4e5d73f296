// Package monitoring holds the alert rules and the dashboard that are shipped against
// the metrics of a running server, and the run-book against the alerts.
package monitoring
