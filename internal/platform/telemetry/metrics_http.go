package telemetry

import (
	"net/http"
	"sync"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/telemetry/sharedpage"
)

// Handler serves the metrics in the Prometheus text format.
func (t *Telemetry) Handler() http.Handler {
	handler := sync.OnceValue(func() http.Handler {
		return sharedpage.Handler(clock.Real(), promhttp.HandlerFor(t.Registry(), promhttp.HandlerOpts{
			// One broken collector must not take the other metrics away.
			ErrorHandling: promhttp.ContinueOnError,
			Registry:      t.Registry(),
		}))
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler().ServeHTTP(w, r) })
}
