package telemetry

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// tracer sends spans to one collector. It is built only when an endpoint is
// configured and touches none of the library's globals.
type tracer struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
}

func newTracer(o Options) (*tracer, error) {
	endpoint, err := tracesURL(o.OTLPEndpoint)
	if err != nil {
		return nil, err
	}
	// Building the exporter does not connect; a collector that is down costs
	// spans, not a start.
	exporter, err := otlptracehttp.New(context.Background(),
		otlptracehttp.WithEndpointURL(endpoint),
		otlptracehttp.WithTimeout(5*time.Second))
	if err != nil {
		return nil, fmt.Errorf("trace collector %q: %w", o.OTLPEndpoint, err)
	}
	name := o.Name
	if name == "" {
		name = "stoa"
	}
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(exporter),
		sdktrace.WithResource(resource.NewSchemaless(
			attribute.String("service.name", name),
			attribute.String("service.version", o.Version))))
	return &tracer{provider: provider, tracer: provider.Tracer("stoa.dev/stoa")}, nil
}

// tracesURL completes a collector's base URL with the path that the protocol
// gives to traces; a path of the operator's own is kept.
func tracesURL(base string) (string, error) {
	u, err := url.Parse(base)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return "", fmt.Errorf("trace collector %q is no URL: write it as in http://127.0.0.1:4318", base)
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/v1/traces"
	}
	return u.String(), nil
}

func (t *tracer) close(ctx context.Context) error { return t.provider.Shutdown(ctx) }

// Tracing reports whether spans are sent anywhere.
func (t *Telemetry) Tracing() bool { return t.tracer != nil }

// Span is one traced piece of work. A nil Span does nothing.
type Span struct {
	span trace.Span
}

// StartSpan opens a span below the one in ctx or, when there is none, below the
// remote one that header names (W3C traceparent). When traces are off it
// returns ctx and nil.
func (t *Telemetry) StartSpan(ctx context.Context, name string, header map[string][]string) (context.Context, *Span) {
	if t.tracer == nil {
		return ctx, nil
	}
	if header != nil {
		ctx = propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(header))
	}
	ctx, span := t.tracer.tracer.Start(ctx, name)
	return ctx, &Span{span: span}
}

// Set adds a fact to the span; it must not be a secret.
func (s *Span) Set(name, value string) {
	if s != nil {
		s.span.SetAttributes(attribute.String(name, value))
	}
}

// End closes the span; a non-empty failure marks it as failed.
func (s *Span) End(failure string) {
	if s == nil {
		return
	}
	if failure != "" {
		s.span.SetStatus(codes.Error, failure)
	}
	s.span.End()
}
