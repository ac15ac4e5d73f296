package telemetry

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"stoa.dev/stoa/internal/platform/clock"
)

// Telemetry is one world's log, metrics, recent requests and traces. All its
// methods are safe for concurrent use.
type Telemetry struct {
	// Log is the redacting logger. It is never nil.
	Log *slog.Logger

	access   AccessMode
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	routes   sync.Map // routeKey to *RouteMetrics
	recent   ring
	tracer   Tracer // nil when traces are off

	registryMu sync.Mutex
	registry   *prometheus.Registry // nil until metrics are read
	waiting    []prometheus.Collector
}

// New builds a Telemetry. Close must be called to flush traces.
func New(o Options) (*Telemetry, error) {
	handler, errLog := o.handler()
	access, errAccess := o.access()
	if err := errors.Join(errLog, errAccess); err != nil {
		return nil, err
	}
	t := &Telemetry{Log: slog.New(handler), access: access, tracer: o.Tracer}
	t.recent.clock = o.Clock
	if t.recent.clock == nil {
		t.recent.clock = clock.Real()
	}
	t.buildMetrics()
	return t, nil
}

// Nop is a Telemetry that counts but writes nothing, for tests.
func Nop() *Telemetry {
	t := &Telemetry{Log: slog.New(slog.DiscardHandler), access: AccessOff}
	t.recent.clock = clock.Real()
	t.buildMetrics()
	return t
}

// To is a Telemetry for tests that logs everything as text to w.
func To(w io.Writer) *Telemetry {
	t, err := New(Options{Log: w, Level: slog.LevelDebug})
	if err != nil {
		panic(err) // the options above are known good
	}
	return t
}

// Close flushes what is still to be sent.
func (t *Telemetry) Close(ctx context.Context) error {
	if t.tracer == nil {
		return nil
	}
	return t.tracer.Close(ctx)
}

// Request counts one request. Callers with a fixed route keep the RouteMetrics
// of Route instead, which saves the lookup.
func (t *Telemetry) Request(service, route string, status int, d time.Duration) {
	t.Route(service, route).Observe(status, d)
}
