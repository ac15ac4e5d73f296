package telemetry

import (
	"context"
	"net/http"
)

// Tracer sends spans to a collector. All its methods are safe for concurrent use.
type Tracer interface {
	// Start opens a span below the one in ctx or, when there is none, below the remote one
	// that header names (W3C traceparent).
	Start(ctx context.Context, name string, header http.Header) (context.Context, TracerSpan)
	// Close sends what is still to be sent.
	Close(ctx context.Context) error
}

// TracerSpan is one span of a Tracer.
type TracerSpan interface {
	// Set adds a fact, which must not be a secret.
	Set(name, value string)
	// Finish closes the span; a non-empty failure marks it as failed.
	Finish(failure string)
}

// Tracing reports whether spans are sent anywhere.
func (t *Telemetry) Tracing() bool { return t.tracer != nil }

// Span is one traced piece of work. A nil Span does nothing.
type Span struct {
	span TracerSpan
}

// StartSpan opens a span as a Tracer does. When traces are off it returns ctx and nil.
func (t *Telemetry) StartSpan(ctx context.Context, name string, header http.Header) (context.Context, *Span) {
	if t.tracer == nil {
		return ctx, nil
	}
	ctx, span := t.tracer.Start(ctx, name, header)
	return ctx, &Span{span: span}
}

// Set adds a fact to the span; it must not be a secret.
func (s *Span) Set(name, value string) {
	if s != nil {
		s.span.Set(name, value)
	}
}

// End closes the span; a non-empty failure marks it as failed.
func (s *Span) End(failure string) {
	if s != nil {
		s.span.Finish(failure)
	}
}
