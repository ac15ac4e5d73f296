package actor

import (
	"context"
	"fmt"
	"net/http"

	"stoa.dev/stoa/internal/platform/audit"
	"stoa.dev/stoa/internal/platform/route/clientaddr"
)

// request is asked who makes it only when something is recorded.
type request struct {
	*http.Request
	id     string
	caller any
}

// Actor is the caller, from the network of the request.
func (r request) Actor() audit.Actor { return Of(r.Request, r.id, r.caller) }

// Of says who makes a request; the caller is nil for an anonymous one.
func Of(r *http.Request, id string, caller any) audit.Actor {
	var a audit.Actor
	switch c := caller.(type) {
	case nil:
	case audit.Source:
		a = c.Actor()
	case fmt.Stringer:
		a.Credential = c.String()
	}
	a.Network, a.Request = clientaddr.Network(r), id
	return a
}

// With is the context of a request that may change something: it says who acts, unless
// the context knows it, as that of a request which another one makes inside the process.
func With(ctx context.Context, r *http.Request, id string, caller any) context.Context {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return ctx
	}
	if audit.Known(ctx) {
		return ctx
	}
	return audit.With(ctx, request{r, id, caller})
}
