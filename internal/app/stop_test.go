package app

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/jobs"
)

func stopConfig(t *testing.T) Config {
	t.Helper()
	c := DefaultConfig()
	c.Data, c.Listen.HTTP = t.TempDir(), "127.0.0.1:0"
	return c
}

func askReady(a *App) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	a.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", nil))
	return w
}

// TestReadyMeansWritable: readiness asks whether this process can write, and names the
// store that it cannot write to.
func TestReadyMeansWritable(t *testing.T) {
	for name, c := range map[string]struct {
		check string
		fail  func(t *testing.T, a *App, writes *atomic.Bool)
	}{
		"writable":           {"", func(*testing.T, *App, *atomic.Bool) {}},
		"read-only database": {"database", func(_ *testing.T, _ *App, writes *atomic.Bool) { writes.Store(true) }},
		"blobs away": {"blobs", func(t *testing.T, a *App, _ *atomic.Bool) {
			if err := os.RemoveAll(filepath.Join(a.config.Data, "blobs")); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var refused atomic.Bool
			a, err := New(t.Context(), Options{Config: stopConfig(t), LogTo: io.Discard, AroundStore: func(
				_ context.Context, call database.Call, run func() error,
			) error {
				if call == database.CallWrite && refused.Load() {
					return database.ErrReadOnly
				}
				return run()
			}})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { refused.Store(false); _ = a.Close() }()
			c.fail(t, a, &refused)
			w := askReady(a)
			if c.check == "" {
				if w.Code != http.StatusOK {
					t.Errorf("%d %s, want ready", w.Code, w.Body)
				}
				return
			}
			if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), `"`+c.check+`":"failed"`) {
				t.Errorf("%d %s, want 503 that names %s", w.Code, w.Body, c.check)
			}
		})
	}
}

// TestCallersWhoLeave: a caller that asks for readiness and leaves does not make the process unready for others, who
// are told what was found last.
func TestCallersWhoLeave(t *testing.T) {
	a, err := New(t.Context(), Options{Config: stopConfig(t), LogTo: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Close() }()
	gone, leave := context.WithCancel(t.Context())
	leave()
	a.Handler().ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(gone, http.MethodGet, "/readyz", nil))
	if w := askReady(a); w.Code != http.StatusOK {
		t.Errorf("%d %s, want ready", w.Code, w.Body)
	}
}

// TestDrain: after the stop signal requests are still answered for a while, and
// readiness says no.
func TestDrain(t *testing.T) {
	c := stopConfig(t)
	c.Listen.Drain = 2 * time.Second
	a, err := New(t.Context(), Options{Config: c, LogTo: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ready, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- errors.Join(a.Run(ctx, func() error { close(ready); return nil }), a.Close()) }()
	<-ready
	stop()
	deadline := time.Now().Add(time.Minute)
	for !a.draining.Load() && time.Now().Before(deadline) {
		_ = clock.Sleep(t.Context(), clock.Real(), time.Millisecond)
	}
	for path, want := range map[string]int{"/readyz": http.StatusServiceUnavailable, "/healthz": http.StatusOK} {
		response, err := http.Get(a.URL() + path)
		if err != nil {
			t.Fatalf("%s while draining: %v", path, err)
		}
		_ = response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("%s while draining: %d, want %d", path, response.StatusCode, want)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestJobsStopBeforeServices: no job runs any more when the services it uses are closed.
func TestJobsStopBeforeServices(t *testing.T) {
	a, err := New(t.Context(), Options{Config: stopConfig(t), LogTo: io.Discard, NoHTTP: true})
	if err != nil {
		t.Fatal(err)
	}
	began, release := make(chan struct{}), make(chan struct{})
	var ended atomic.Bool
	a.world.Jobs.Register(jobs.Define(jobs.Kind[struct{}]{Name: "test.slow", MaxAttempts: 1,
		Run: func(context.Context, jobs.Job, struct{}) error {
			close(began)
			<-release
			ended.Store(true)
			return nil
		}}))
	a.onClose(func() error { // as a service's own
		if !ended.Load() {
			t.Error("a service was closed while a job ran")
		}
		return nil
	})
	if err := a.StartJobs(t.Context()); err != nil {
		t.Fatal(err)
	}
	err = a.world.DB.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
		_, err := a.world.Jobs.Enqueue(ctx, tx, jobs.Enqueue{Kind: "test.slow", Payload: struct{}{}})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	<-began
	go func() {
		_ = clock.Sleep(context.Background(), clock.Real(), 100*time.Millisecond)
		close(release)
	}()
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}
