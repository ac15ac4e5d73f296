package route

import (
	"net/http"

	"stoa.dev/stoa/internal/platform/audit"
	"stoa.dev/stoa/internal/platform/route/clientaddr"
)

// changes reports whether a request of the method may change something: only then does
// its context say who acts.
func changes(method string) bool {
	return method != http.MethodGet && method != http.MethodHead && method != http.MethodOptions
}

// Actor says who makes the request, for what is recorded of it.
func (r *Request) Actor() audit.Actor {
	var a audit.Actor
	switch c := r.Caller.(type) {
	case nil:
	case audit.Source:
		a = c.Actor()
	default:
		a.Credential = c.String()
	}
	a.Network, a.Request = clientaddr.Network(r.Request), r.ID
	return a
}
