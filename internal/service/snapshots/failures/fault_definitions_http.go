package failures

import (
	"net/http"
	"time"

	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
)

// Service is what the service itself knows: its errors by status, and the names of
// its budgets.
type Service struct {
	// Refuse makes the error of a status with a message.
	Refuse func(status int, message string) error
	// Requests, Points and Renders are names of budgets.
	Requests, Points, Renders string
}

// Catalogue are the refusals by name.
func Catalogue(s Service) []module.Fault {
	drawing, view := []string{"graph.snapshot", "graph.snapshotPost"}, []string{"graph.view", "graph.status"}
	intake := []string{"series.submit", "distributions.submit", "checks.submit", "remoteWrite", "otlp.metrics"}
	refused := func(name, description string, status int, message string, operations ...string) module.Fault {
		return module.Fault{
			Name: name, Status: status, Description: description, Operations: operations,
			Handle: module.Refuse(s.Refuse(status, message)),
		}
	}
	spent := func(name, description, budget string, most int64, operations ...string) module.Fault {
		return module.Fault{
			Name: name, Status: http.StatusTooManyRequests, Description: description, Operations: operations,
			Handle: module.Refuse(&limit.Exceeded{Decision: limit.Decision{
				Name: budget, Limit: most, Used: most, RetryAfter: time.Minute,
			}}),
		}
	}
	return []module.Fault{
		refused("query_invalid", "The metric query does not read.", http.StatusBadRequest,
			"metric_query: the query does not read", append(drawing, "query", "query.timeseries", "query.scalar")...),
		refused("time_range_invalid", "start is not before end.", http.StatusBadRequest,
			"start must be before end", drawing...),
		refused("snapshot_gone", "The picture has expired, or there was none.", http.StatusNotFound,
			"no such snapshot, or it has expired", view...),
		refused("snapshot_failed", "The picture could not be drawn and never will be.", http.StatusUnprocessableEntity,
			"the snapshot could not be drawn: the query takes too long", view...),
		refused("application_key_missing", "The call needs an application key beside the API key.", http.StatusForbidden,
			"Forbidden: this call needs an application key beside the API key", append(drawing, "query", "metrics.list")...),
		refused("payload_too_large", "The submission holds more than one may.", http.StatusRequestEntityTooLarge,
			"Payload too large: send less at once", intake...),
		{
			Name: "storage_down", Status: http.StatusServiceUnavailable,
			Operations:  append(append([]string{"query", "query.timeseries"}, intake...), view...),
			Description: "The store behind metrics and pictures does not answer.",
			Handle:      module.Refuse(&route.UnavailableError{RetryAfter: time.Minute}),
		},
		spent("snapshots_throttled", "Too many pictures wait to be drawn.", s.Renders, 100, drawing...),
		spent("requests_throttled", "The caller has used up the requests of this minute.", s.Requests, 600),
		spent("points_throttled", "The caller has sent as many points as one may in a minute.", s.Points, 1_000_000,
			intake...),
	}
}
