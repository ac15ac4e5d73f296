//go:build !small

package traces

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"stoa.dev/stoa/internal/platform/telemetry"
)

// Tracer sends spans to one collector and touches none of the library's globals.
type Tracer struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
}

// Open builds a tracer, none without a collector. It does not connect: a collector that is down costs
// spans, not a start.
func Open(o Options) (telemetry.Tracer, error) {
	if o.Endpoint == "" {
		return nil, nil
	}
	endpoint, err := tracesURL(o.Endpoint)
	if err != nil {
		return nil, err
	}
	exporter, err := otlptracehttp.New(context.Background(),
		otlptracehttp.WithEndpointURL(endpoint),
		otlptracehttp.WithTimeout(5*time.Second))
	if err != nil {
		return nil, fmt.Errorf("trace collector %q: %w", o.Endpoint, err)
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
	return &Tracer{provider: provider, tracer: provider.Tracer("stoa.dev/stoa")}, nil
}

// tracesURL completes a collector's base URL with the path that the protocol
// gives to traces; a path of the operator's own is kept.
func tracesURL(base string) (string, error) {
	u, err := url.Parse(base)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return "", fmt.Errorf("trace collector %q is not a URL: write it as in http://127.0.0.1:4318", base)
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/v1/traces"
	}
	return u.String(), nil
}

// Close sends what is still to be sent.
func (t *Tracer) Close(ctx context.Context) error { return t.provider.Shutdown(ctx) }

// Start opens a span below the one in ctx or, when there is none, below the remote one that
// header names (W3C traceparent).
func (t *Tracer) Start(ctx context.Context, name string, header http.Header) (context.Context, telemetry.TracerSpan) {
	if header != nil {
		ctx = propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(header))
	}
	ctx, s := t.tracer.Start(ctx, name)
	return ctx, span{s}
}

type span struct{ trace.Span }

func (s span) Set(name, value string) { s.SetAttributes(attribute.String(name, value)) }

func (s span) Finish(failure string) {
	if failure != "" {
		s.SetStatus(codes.Error, failure)
	}
	s.End()
}
