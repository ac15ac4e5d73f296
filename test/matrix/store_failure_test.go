package matrix_test

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/refusedwrites"
	"stoa.dev/stoa/test/conformance"
)

// TestStoreFailure: while the store is full, read-only, busy or away, every operation
// of every service answers in its envelope that it is not available and when to come
// back; none calls it an internal error.
func TestStoreFailure(t *testing.T) {
	var away atomic.Bool
	h := conformance.Start(t, conformance.Options{Configure: configure, Unobserved: true, Log: io.Discard,
		AroundStore: func(_ context.Context, _ database.Call, run func() error) error {
			if away.Load() {
				return database.ErrUnavailable
			}
			return run()
		}})
	f := build(t, h)
	for _, kind := range []error{
		database.ErrDiskFull, database.ErrReadOnly, database.ErrBusy, database.ErrUnavailable, blob.ErrUnavailable,
		blob.ErrFull,
	} {
		ctx := refusedwrites.With(t.Context(), fmt.Errorf("write: %w", kind))
		wantUnavailable(ctx, t, f, kind.Error(), writers())
	}
	away.Store(true)
	wantUnavailable(t.Context(), t, f, "database away", readers())
	away.Store(false)
}

// writers are the services of which some operation writes whatever it is sent, readers
// those that read for every request.
func writers() []string {
	return []string{"articles", "calendar", "tasks", "events", "generate", "apikeys"}
}

func readers() []string {
	return []string{"analytics", "articles", "calendar", "events", "generate", "packages", "pipelines",
		"snapshots", "tasks"}
}

// wantUnavailable asks every operation once and looks for the services that must have
// met the failure.
func wantUnavailable(ctx context.Context, t *testing.T, f *fixtures, name string, services []string) {
	t.Helper()
	met := map[string]int{}
	for _, o := range operations() {
		path, _ := fill(o, f.own)
		header, ok := f.credential(t, o, "full")
		if !ok {
			header = http.Header{}
		}
		w := askHandler(ctx, f, o, path, header)
		switch {
		case w.Code == unavailable(o):
			met[o.module.Name]++
			if w.Header().Get("Retry-After") == "" {
				t.Errorf("%s: %s %s: %d without Retry-After", name, o.service(), o.name(), w.Code)
			}
			if strings.Contains(w.Body.String(), "database:") || strings.Contains(w.Body.String(), "blob:") {
				t.Errorf("%s: %s %s shows the cause: %.200s", name, o.service(), o.name(), w.Body)
			}
		case w.Code == http.StatusInternalServerError:
			t.Errorf("%s: %s %s: 500 %.200s", name, o.service(), o.name(), w.Body)
		}
	}
	for _, service := range services {
		if met[service] == 0 {
			t.Errorf("%s: no operation of %s met it; met: %v", name, service, met)
		}
	}
}

// unavailable is the status for a store that is away: 503 but for two contracts, one
// of which lists five statuses and no other, and one that has its own number.
func unavailable(o operation) int {
	switch o.module.Name {
	case "articles":
		return http.StatusInternalServerError
	case "analytics":
		return 553
	}
	return http.StatusServiceUnavailable
}

func askHandler(
	ctx context.Context, f *fixtures, o operation, path string, header http.Header,
) *httptest.ResponseRecorder {
	method, body := cmp.Or(o.route.Method, "POST"), ""
	if method != http.MethodGet && method != http.MethodDelete {
		body = "{}"
		header.Set("Content-Type", "application/json")
		if form(o) {
			body = "a=b"
			header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
	}
	r := httptest.NewRequestWithContext(ctx, method, f.h.URL+path, strings.NewReader(body))
	r.RemoteAddr = "127.0.0.1:1234"
	for key, values := range header {
		r.Header[key] = slices.Clone(values)
	}
	if o.host != "" {
		r.Host = o.host
	}
	w := httptest.NewRecorder()
	f.h.App().Handler().ServeHTTP(w, r)
	return w
}
