package calendar

import (
	"testing"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/route/routetest"
	"stoa.dev/stoa/internal/service/calendar/reason"
)

// TestEnvelope gives every failure its fixed answer.
func TestEnvelope(t *testing.T) {
	t.Parallel()
	own := []routetest.Case{{Name: "own steps", Err: &budget.StepsError{Limit: 7}}}
	for _, code := range reason.Codes() {
		own = append(own, routetest.Case{Name: "own " + string(code), Err: reason.New(code, "field", "Why.")})
	}
	routetest.Envelope(t, writeError, own...)
}
