package app

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
)

// Ready joins everything that keeps the app from doing its work.
func (a *App) Ready(ctx context.Context) error {
	var failed []error
	for _, err := range a.readiness.Check(ctx) {
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

func writeStatus(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	// A client that has gone is not told.
	_ = json.NewEncoder(w).Encode(v)
}
