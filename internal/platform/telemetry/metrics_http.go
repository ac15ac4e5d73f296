package telemetry

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Handler serves the metrics in the Prometheus text formats.
func (t *Telemetry) Handler() http.Handler {
	return promhttp.HandlerFor(t.registry, promhttp.HandlerOpts{
		// One broken collector must not take the other metrics away.
		ErrorHandling: promhttp.ContinueOnError,
		Registry:      t.registry,
	})
}
