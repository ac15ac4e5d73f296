package labels

import (
	"testing"

	"stoa.dev/stoa/internal/platform/route/routetest"
	"stoa.dev/stoa/internal/platform/world"
)

// TestEnvelope gives every failure its fixed answer.
func TestEnvelope(t *testing.T) {
	t.Parallel()
	routetest.Envelope(t, writeError,
		routetest.Case{Name: "own invalid", Err: errInvalidField("title", "is too long")},
		routetest.Case{Name: "own not found", Err: errNotFound("there is no such label")},
		routetest.Case{Name: "own denied", Err: errDenied("only administrators may")},
		routetest.Case{Name: "own state", Err: errState("the label is disabled")},
		routetest.Case{Name: "own quota", Err: errQuota("there are enough labels")},
	)
}

// TestFaultCatalogue compares the status that is stated of each fault with its answer.
func TestFaultCatalogue(t *testing.T) {
	t.Parallel()
	for _, f := range New(world.Blueprint(world.Options{}), nil, DefaultConfig()).faultDefinitions() {
		routetest.StatedStatus(t, writeError, routetest.Case{Name: f.Name, Err: f.Handle(nil, nil)}, f.Status)
	}
}
