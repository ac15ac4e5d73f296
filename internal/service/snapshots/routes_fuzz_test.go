package snapshots_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/route/routetest"
	"stoa.dev/stoa/internal/service/snapshots"
)

// Every operation answers outside bytes in its own words.
func FuzzRoutes(f *testing.F) {
	h := identitytest.SQLite(f, build(snapshots.DefaultConfig()))
	h.User("ada")
	do := func(r *http.Request) *httptest.ResponseRecorder {
		h.Clock.Advance(time.Minute) // for the budgets
		return h.Do(r)
	}
	routetest.FuzzRoutes(f, h.Module.Routes, do, "SVC-API-KEY: "+h.Key("ada", identity.KindAPI, 0),
		"SVC-APPLICATION-KEY: "+h.Key("ada", identity.KindApplication, 0))
}
