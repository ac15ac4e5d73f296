package articles

import (
	"testing"

	"stoa.dev/stoa/internal/platform/route/routetest"
	"stoa.dev/stoa/internal/service/articles/refusal"
)

func TestEnvelope(t *testing.T) {
	t.Parallel()
	var own []routetest.Case
	for _, kind := range []refusal.Kind{
		refusal.BadRequest, refusal.Unauthorized, refusal.Forbidden, refusal.NotFound, refusal.RateLimited, refusal.Internal,
	} {
		own = append(own, routetest.Case{Name: "own " + string(kind), Err: refusal.New(kind, "Why.")})
	}
	routetest.Envelope(t, writeError, own...)
}
