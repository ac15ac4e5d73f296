package app

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"stoa.dev/stoa/internal/app/rpc"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/route/hostmux"
)

// checkTime bounds one readiness question.
const checkTime = 2 * time.Second

// Handler answers every request of this world, whichever listener or handler it
// comes through.
func (a *App) Handler() http.Handler { return a.handler }

// newHandler joins the platform's own paths, every module's prefixes and hosts,
// and the remote procedures that are offered over TCP.
func (a *App) newHandler() http.Handler {
	hosts := hostmux.New(http.HandlerFunc(a.handleNotFound))
	for _, m := range append(slices.Clone(a.modules), a.console.Module(), a.manual.Module()) {
		if m.Handler == nil {
			continue
		}
		for _, prefix := range m.Prefixes {
			hosts.Prefix(prefix, m.Handler)
		}
		for _, host := range m.Hosts {
			hosts.Host(host, a.console.OnServiceHost(m.Handler))
		}
		if host, ok := a.config.Hosts[m.Name]; ok {
			hosts.Host(host, a.console.OnServiceHost(m.Handler))
		}
	}
	hosts.Prefix("/healthz", a.platformPath(http.HandlerFunc(a.handleHealth)))
	hosts.Prefix("/readyz", a.platformPath(http.HandlerFunc(a.handleReady)))
	hosts.Prefix("/metrics", a.platformPath(a.world.Telemetry.Handler()))
	handler, stop := rpc.Handler(a.rpcOptions(), hosts)
	a.onClose(func() error { stop(); return nil })
	if a.options.Clock != nil {
		handler = dated(a.options.Clock, handler)
	}
	return handler
}

// dated says the world's time in Date, which net/http takes from the machine.
func dated(c clock.Clock, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", c.Now().UTC().Format(http.TimeFormat))
		next.ServeHTTP(w, r)
	})
}

// handleHealth says that the process answers; nothing else.
func (a *App) handleHealth(w http.ResponseWriter, _ *http.Request) {
	writeStatus(w, http.StatusOK, statusJSON{Status: "ok"})
}

// handleReady asks the database and every module.
func (a *App) handleReady(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), checkTime)
	defer cancel()
	answer := statusJSON{Status: "ready", Checks: map[string]string{}}
	status := http.StatusOK
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
	results := map[string]error{"database": a.world.DB.Ping(ctx)}
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
