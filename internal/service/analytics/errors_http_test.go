package analytics

import (
	"testing"

	"stoa.dev/stoa/internal/platform/route/routetest"
)

// TestEnvelope gives every failure its fixed answer.
func TestEnvelope(t *testing.T) {
	t.Parallel()
	routetest.Envelope(t, writeError,
		routetest.Case{Name: "own invalid", Err: errInvalidField("name", "is too long")},
		routetest.Case{Name: "own forbidden", Err: errForbidden("only an owner may")},
		routetest.Case{Name: "own not found", Err: errNotFound("there is no such project")},
		routetest.Case{Name: "own conflict", Err: errConflict("the name is taken")},
		routetest.Case{Name: "own unavailable", Err: errUnavailable("later")},
	)
}
