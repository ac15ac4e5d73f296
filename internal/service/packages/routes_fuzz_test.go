package packages_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/route/routetest"
	"stoa.dev/stoa/internal/service/packages"
)

// FuzzRoutes checks that every operation answers any bytes in the service's envelope. No registry is asked.
func FuzzRoutes(f *testing.F) {
	h := identitytest.SQLite(f, pulling(newRegistry(f), func(c *packages.Config) {
		c.Registries.NPM, c.Discover = nil, packages.DiscoverFalse
	}))
	do := func(r *http.Request) *httptest.ResponseRecorder {
		h.Clock.Advance(time.Minute) // for the budgets
		return h.Do(r)
	}
	routetest.FuzzRoutes(f, h.Module.Routes, do)
}
