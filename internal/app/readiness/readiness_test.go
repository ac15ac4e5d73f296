package readiness_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"stoa.dev/stoa/internal/app/readiness"
	"stoa.dev/stoa/internal/platform/module"
)

// TestReasonIsLogged: the answer names the check, the log has the reason, once.
func TestReasonIsLogged(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	broken := errors.New("dial tcp 10.1.2.3:5432: secret detail")
	var now error
	s := readiness.New(readiness.Options{
		Stores:   func(context.Context) map[string]error { return map[string]error{"blobs": nil} },
		Modules:  []module.Module{{Name: "kms", Check: func(context.Context) error { return now }}, {Name: "tasks"}},
		Draining: func() bool { return false }, Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	ask := func(want int, text string) {
		t.Helper()
		w := httptest.NewRecorder()
		s.ServeReady(w, httptest.NewRequest(http.MethodGet, "/readyz", nil))
		if w.Code != want || !strings.Contains(w.Body.String(), text) || strings.Contains(w.Body.String(), "10.1.2.3") {
			t.Errorf("got %d %s, want %d with %s", w.Code, w.Body, want, text)
		}
	}
	ask(http.StatusOK, `"kms":"ok"`)
	now = broken
	ask(http.StatusServiceUnavailable, `"checks":{"blobs":"ok","kms":"failed"}`)
	ask(http.StatusServiceUnavailable, `"kms":"failed"`)
	now = nil
	ask(http.StatusOK, `"status":"ready"`)
	if text := log.String(); strings.Count(text, "secret detail") != 1 || strings.Count(text, "passed again") != 1 {
		t.Errorf("the log says %s", text)
	}
}

// TestChecksArePaced: however many ask, a check is made once a second, and one who does not wait for it does not
// decide what others are told.
func TestChecksArePaced(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		made := 0
		modules := []module.Module{{Name: "generate", Check: func(ctx context.Context) error {
			made++
			timer := time.NewTimer(100 * time.Millisecond)
			defer timer.Stop()
			select {
			case <-timer.C:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}}, {Name: "tasks"}}
		stop := readiness.Pace(modules)
		defer stop()
		check := modules[0].Check
		gone, leave := context.WithCancel(t.Context())
		leave()
		if err := check(gone); !errors.Is(err, context.Canceled) {
			t.Errorf("one who left is told %v", err)
		}
		var callers sync.WaitGroup
		for range 50 {
			callers.Go(func() {
				if err := check(t.Context()); err != nil {
					t.Errorf("others are told %v", err)
				}
			})
		}
		callers.Wait()
		if made != 1 || modules[1].Check != nil {
			t.Errorf("%d checks, want one", made)
		}
		<-time.After(time.Second)
		if err := check(t.Context()); err != nil || made != 2 {
			t.Errorf("a second later: %d checks, %v; want two", made, err)
		}
	})
}
