package analytics_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/routetest"
)

// Every operation answers outside bytes in its own words.
func FuzzRoutes(f *testing.F) {
	d := newServer(f, "", nil)
	page := func(w http.ResponseWriter, _ *route.Request) error {
		w.WriteHeader(http.StatusOK)
		return nil
	}
	d.Identity.ProvidePages(identity.Pages{
		Consent: func(identity.Authorization) route.Handler { return page },
		Message: func(identity.Message) route.Handler { return page },
	})
	do := func(r *http.Request) *httptest.ResponseRecorder {
		d.Clock.Advance(time.Minute) // for the limits
		return d.Do(r)
	}
	routetest.FuzzRoutes(f, d.Module.Routes, do, "Authorization: Bearer "+d.token)
}
