package apikeys

import (
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/route/routetest"
	"stoa.dev/stoa/internal/platform/world"
)

func described() *Service {
	now := clock.NewVirtual(time.Date(2030, 3, 1, 6, 0, 0, 0, time.UTC))
	return New(world.Blueprint(world.Options{Clock: now}), nil, DefaultConfig())
}

// TestEnvelope gives every failure its fixed answer.
func TestEnvelope(t *testing.T) {
	t.Parallel()
	routetest.Envelope(t, described().writeError,
		routetest.Case{Name: "own violations", Err: errViolations([]Violation{daysViolation("max", "is too large")})},
		routetest.Case{Name: "own invalid", Err: errInvalid("the key has ended")},
		routetest.Case{Name: "own unauthorized", Err: errUnauthorized("the key is gone")},
	)
}

// TestFaultCatalogue compares the status that is stated of each fault with its answer.
func TestFaultCatalogue(t *testing.T) {
	t.Parallel()
	s := described()
	for _, f := range s.faultDefinitions() {
		routetest.StatedStatus(t, s.writeError, routetest.Case{Name: f.Name, Err: f.Handle(nil, nil)}, f.Status)
	}
}
