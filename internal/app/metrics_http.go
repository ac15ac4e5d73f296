package app

import (
	"net/http"

	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/route/clientaddr"
)

// metricsMemory is what an answer with all metrics takes until it is read, some times over.
const metricsMemory = 512 << 10

// metricsHandler serves the metrics within the memory that all requests share: whoever asks
// needs no credential, and may read the answer slowly or not at all.
func (a *App) metricsHandler() http.Handler {
	metrics := a.world.Telemetry.Handler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		grant, err := a.world.Memory.Take(r.Context(), budget.Address(clientaddr.Network(r)), metricsMemory)
		if err != nil {
			w.Header().Set("Retry-After", "1")
			refused := refusedJSON{Error: "busy", Message: "as many read the metrics as memory allows; ask again"}
			writeStatus(w, http.StatusServiceUnavailable, refused)
			return
		}
		defer grant.Release()
		metrics.ServeHTTP(w, r)
	})
}
