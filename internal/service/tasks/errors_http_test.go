package tasks

import (
	"testing"

	"stoa.dev/stoa/internal/platform/route/routetest"
)

// TestEnvelope gives every failure its fixed answer.
func TestEnvelope(t *testing.T) {
	t.Parallel()
	routetest.Envelope(t, writeError,
		routetest.Case{Name: "own invalid", Err: errInvalidField("title", "is too long")},
		routetest.Case{Name: "own not found", Err: errNotFound("there is no such task")},
		routetest.Case{Name: "own quota", Err: errQuota("the list is full")},
		routetest.Case{Name: "own changed", Err: errChanged()},
	)
}

// TestFaultCatalogue compares the status that is stated of each fault with its answer.
func TestFaultCatalogue(t *testing.T) {
	t.Parallel()
	for _, f := range faultDefinitions() {
		routetest.StatedStatus(t, writeError, routetest.Case{Name: f.Name, Err: f.Handle(nil, nil)}, f.Status)
	}
}
