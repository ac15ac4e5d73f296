package routetest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/credential"
)

// Recorded is a handler that notes, for every request it passes on, which row
// of the route table it belongs to and whether it succeeded.
type Recorded struct {
	next  http.Handler
	table *route.Mux

	mu   sync.Mutex
	hits map[string]hit
}

type hit struct{ success, failure bool }

// Record watches next, which serves routes.
func Record(next http.Handler, routes []route.Route) *Recorded {
	none := func(*http.Request) (credential.Credential, bool) { return credential.Credential{}, false }
	return &Recorded{
		next: next,
		hits: make(map[string]hit),
		table: route.New(route.Options{
			Service:    "routetest",
			WriteError: func(w http.ResponseWriter, _ *route.Request, _ error) { w.WriteHeader(http.StatusTeapot) },
			Extract:    none,
			Authenticate: func(context.Context, credential.Credential) (route.Caller, error) {
				return nil, route.ErrNoCredential
			},
			Clock: clock.Real(), IDs: ids.Seeded(1), Memory: budget.New(budget.MemoryOptions(0)),
			Requests: budget.New(budget.RequestOptions()),
		}, routes),
	}
}

// ServeHTTP passes the request on and notes its outcome.
func (h *Recorded) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	at := h.table.Match(r.Clone(r.Context()))
	rec := httptest.NewRecorder()
	h.next.ServeHTTP(rec, r)
	if at != nil {
		h.note(key(at), rec.Code < 400)
	}
	for name, values := range rec.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(rec.Code)
	_, _ = w.Write(rec.Body.Bytes()) // a test's writer is memory
}

func (h *Recorded) note(key string, success bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	was := h.hits[key]
	was.success = was.success || success
	was.failure = was.failure || !success
	h.hits[key] = was
}

func key(r *route.Route) string { return r.Method + " " + r.Pattern }

// Coverage fails for every route that recorded has not seen succeed and fail.
// Call it when all scenarios are done.
func Coverage(t testing.TB, routes []route.Route, recorded *Recorded) {
	t.Helper()
	recorded.mu.Lock()
	defer recorded.mu.Unlock()
	for i := range routes {
		k := key(&routes[i])
		if h := recorded.hits[k]; !h.success || !h.failure {
			t.Errorf("%s (%s): scenario of success: %v, of failure: %v; both are needed",
				k, routes[i].Name, h.success, h.failure)
		}
	}
}
