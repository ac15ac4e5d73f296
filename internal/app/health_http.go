package app

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"
)

// checkTime bounds one readiness question.
const checkTime = 2 * time.Second

// handleHealth says that the process answers; nothing else.
func (a *App) handleHealth(w http.ResponseWriter, _ *http.Request) {
	writeStatus(w, http.StatusOK, statusJSON{Status: "ok"})
}

// handleReady asks the database, the blob store and every module.
func (a *App) handleReady(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), checkTime)
	defer cancel()
	answer := statusJSON{Status: "ready", Checks: map[string]string{}}
	status := http.StatusOK
	if a.draining.Load() {
		writeStatus(w, http.StatusServiceUnavailable, statusJSON{Status: "draining"})
		return
	}
	for name, err := range a.check(ctx) {
		answer.Checks[name] = "ok"
		if err != nil {
			answer.Status, status = "not ready", http.StatusServiceUnavailable
			answer.Checks[name] = err.Error()
		}
	}
	writeStatus(w, status, answer)
}

// check is what every part says about itself.
func (a *App) check(ctx context.Context) map[string]error {
	results := a.world.CheckStores(ctx)
	for _, m := range a.modules {
		if m.Check != nil {
			results[m.Name] = m.Check(ctx)
		}
	}
	return results
}

// Ready joins everything that keeps the app from doing its work.
func (a *App) Ready(ctx context.Context) error {
	var failed []error
	for _, err := range a.check(ctx) {
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

type statusJSON struct {
	Status string            `json:"status"`
	Checks map[string]string `json:"checks,omitempty"`
}

func writeStatus(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	// A client that has gone is not told.
	_ = json.NewEncoder(w).Encode(v)
}
