package readiness

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/module"
)

// askTime bounds the answer to one question.
const askTime = 2 * time.Second

// The words of an answer.
const (
	passed = "ok"
	failed = "failed"
)

// Options are what a Readiness asks.
type Options struct {
	// Stores checks the database and the blob store.
	Stores func(context.Context) map[string]error
	// Modules are those whose checks count.
	Modules []module.Module
	// Draining reports whether a stop signal came.
	Draining func() bool
	// Log is told when a check begins to fail, and when it is good again.
	Log *slog.Logger
}

// Readiness answers for one process.
type Readiness struct {
	o       Options
	mu      sync.Mutex
	failing map[string]bool
}

// New makes a Readiness. It asks nothing yet.
func New(o Options) *Readiness { return &Readiness{o: o, failing: map[string]bool{}} }

// ServeHealth says that the process answers; nothing else.
func (s *Readiness) ServeHealth(w http.ResponseWriter, _ *http.Request) {
	write(w, http.StatusOK, statusJSON{Status: "ok"})
}

// ServeReady asks the database, the blob store and every module.
func (s *Readiness) ServeReady(w http.ResponseWriter, r *http.Request) {
	if s.o.Draining() {
		write(w, http.StatusServiceUnavailable, statusJSON{Status: "draining"})
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), askTime)
	defer cancel()
	answer, status := statusJSON{Status: "ready", Checks: map[string]string{}}, http.StatusOK
	results := s.Check(ctx)
	for name, err := range results {
		answer.Checks[name] = passed
		if err != nil {
			answer.Status, status = "not ready", http.StatusServiceUnavailable
			answer.Checks[name] = failed
		}
	}
	if r.Context().Err() == nil { // what a caller who left was told is no news
		s.note(results)
	}
	write(w, status, answer)
}

// Check is what every part says about itself.
func (s *Readiness) Check(ctx context.Context) map[string]error {
	results := s.o.Stores(ctx)
	for _, m := range s.o.Modules {
		if m.Check != nil {
			results[m.Name] = m.Check(ctx)
		}
	}
	return results
}

// note logs what has changed.
func (s *Readiness) note(results map[string]error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, err := range results {
		switch {
		case err != nil && !s.failing[name]:
			s.o.Log.Warn("readiness check failed", "check", name, "error", err.Error())
		case err == nil && s.failing[name]:
			s.o.Log.Info("readiness check passed again", "check", name)
		}
		s.failing[name] = err != nil
	}
}

type statusJSON struct {
	Status string            `json:"status"`
	Checks map[string]string `json:"checks,omitempty"`
}

func write(w http.ResponseWriter, status int, v statusJSON) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	// A client that has gone is not told.
	_ = json.NewEncoder(w).Encode(v)
}
