// Package rest declares what github.com/prometheus/prometheus/util/logging names of
// the Kubernetes client. Nothing here talks to a cluster.
package rest

import "context"

// WarningHandlerWithContext takes warnings of an API server.
type WarningHandlerWithContext interface {
	HandleWarningHeaderWithContext(ctx context.Context, code int, agent, message string)
}

// WarningLogger drops them: there is no API server that warns.
type WarningLogger struct{}

// HandleWarningHeaderWithContext drops a warning.
func (WarningLogger) HandleWarningHeaderWithContext(context.Context, int, string, string) {}
