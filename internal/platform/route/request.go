package route

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/route/clientaddr"
	"stoa.dev/stoa/internal/platform/route/requestid"
)

// Request is one request on its way through a Mux.
type Request struct {
	*http.Request
	// ID names the request in the log and in the X-Request-Id header. It is the
	// caller's own if that is valid.
	ID string
	// Caller is nil for an anonymous request.
	Caller Caller
	// Route is nil until the path has matched.
	Route *Route
	// Start is the world's time when the request arrived: the one "now" of
	// everything that is done for it.
	Start time.Time
	Told  any // Told is what a handler has learnt that its service's WriteError needs.

	ctx   context.Context
	query url.Values
	fault string
}

// Fault is the name of the fault that the request met, empty when there was none.
func (r *Request) Fault() string { return r.fault }

// InContext is the request for a handler with another context.
func (r *Request) InContext(ctx context.Context) *Request {
	other := *r
	other.ctx = ctx
	return &other
}

// Context ends when the caller leaves, when the route's deadline passes or when
// the request is done. It hides the method of http.Request, which knows nothing
// of the deadline.
func (r *Request) Context() context.Context {
	if r.ctx != nil {
		return r.ctx
	}
	return r.Request.Context()
}

// Query is the parsed query, read once. It must not be changed.
func (r *Request) Query() url.Values {
	if r.query == nil {
		r.query = r.URL.Query()
	}
	return r.query
}

// RequestID is what names the request: the caller's own name for it where that
// can be repeated, otherwise a new one.
func RequestID(r *http.Request, source *ids.Source) string { return requestid.Of(r, source) }

// Owner is who answers for the work of the request: the caller, or the network
// it comes from.
func (r *Request) Owner() budget.Owner {
	if r.Caller != nil {
		return budget.Caller(r.Caller.LimitKey())
	}
	return budget.Address(clientaddr.Network(r.Request))
}
