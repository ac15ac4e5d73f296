package calendar_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/route/routetest"
)

// Every operation answers outside bytes in its own words.
func FuzzRoutes(f *testing.F) {
	h := identitytest.SQLite(f, build)
	h.User("ada")
	do := func(r *http.Request) *httptest.ResponseRecorder {
		h.Clock.Advance(time.Minute) // for the budgets
		return h.Do(r)
	}
	routetest.FuzzRoutes(f, h.Module.Routes, do, "Authorization: Bearer "+h.Token("ada"))
}
