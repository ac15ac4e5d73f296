// Package metrics declares what github.com/prometheus/prometheus/discovery names of
// the Kubernetes client.
package metrics

import (
	"context"
	"net/url"
	"time"
)

// LatencyMetric takes the time of a request.
type LatencyMetric interface {
	Observe(ctx context.Context, verb string, u url.URL, latency time.Duration)
}

// ResultMetric counts requests.
type ResultMetric interface {
	Increment(ctx context.Context, code, method, host string)
}

// RegisterOpts are the metrics of a client.
type RegisterOpts struct {
	RequestLatency LatencyMetric
	RequestResult  ResultMetric
}

// Register does nothing: there is no client that makes requests.
func Register(RegisterOpts) {}
