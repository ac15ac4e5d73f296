package events_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/route/routetest"
	"stoa.dev/stoa/internal/service/events"
)

// FuzzRoutes checks that every operation answers any bytes in the service's envelope.
func FuzzRoutes(f *testing.F) {
	h := open(f, "", events.DefaultConfig())
	h.User("ada")
	do := func(r *http.Request) *httptest.ResponseRecorder {
		h.Clock.Advance(time.Minute) // for the budgets
		return h.Do(r)
	}
	routetest.FuzzRoutes(f, h.Module.Routes, do, "Authorization: Bearer "+h.Token("ada"))
}
