package telemetry

import (
	"net/http"
	"sync"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Handler serves the metrics in the Prometheus text formats.
func (t *Telemetry) Handler() http.Handler {
	handler := sync.OnceValue(func() http.Handler {
		return promhttp.HandlerFor(t.Registry(), promhttp.HandlerOpts{
			// One broken collector must not take the other metrics away.
			ErrorHandling: promhttp.ContinueOnError,
			Registry:      t.Registry(),
		})
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler().ServeHTTP(w, r) })
}
