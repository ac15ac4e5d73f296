package articles

import (
	"testing"

	"stoa.dev/stoa/internal/platform/route/routetest"
)

func TestEnvelope(t *testing.T) {
	t.Parallel()
	var own []routetest.Case
	for _, kind := range []ErrorType{BadRequest, Unauthorized, Forbidden, NotFound, RateLimited, Internal} {
		own = append(own, routetest.Case{Name: "own " + string(kind), Err: &Error{Type: kind, Message: "Why."}})
	}
	routetest.Envelope(t, writeError, own...)
}
