package control

import (
	"testing"

	"stoa.dev/stoa/internal/lab"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/routetest"
)

// TestEnvelope keeps the answer to every common error, and to the lab's own.
func TestEnvelope(t *testing.T) {
	t.Parallel()
	var cases []routetest.Case
	for _, code := range []lab.Code{
		lab.CodeInvalid, lab.CodeNotFound, lab.CodeConflict, lab.CodeExhausted, lab.CodeFailed,
	} {
		refused := &lab.Error{Code: code, Message: "the reason", Next: "the next step"}
		cases = append(cases, routetest.Case{Name: "lab " + string(code), Err: refused})
	}
	routetest.Envelope(t, writeError, cases...)
}

func TestRoutesAreProtected(t *testing.T) {
	t.Parallel()
	for _, r := range new(API).Routes() {
		if r.Access != route.Required {
			t.Errorf("%s needs no token", r.Name)
		}
	}
}
