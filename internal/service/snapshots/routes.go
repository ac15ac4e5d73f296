package snapshots

import (
	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/credential"
)

// Sizes of bodies as the public service documents them.
const (
	maxSeriesV1         = 3_200_000
	maxSeriesV1Inflated = 62_914_560
	maxSeriesV2         = 512_000
	maxSeriesV2Inflated = 5_242_880
	maxWrite            = 16 << 20
	maxWriteInflated    = 64 << 20
)

// viewPrefix is where pictures are fetched.
const viewPrefix = "/snapshot/view/"

// Tags of routes: which budget a call is charged to, whether the application
// key is needed, and whether it is an intake with its own form of refusal.
const (
	tagLimit  = "limit"
	tagKeys   = "keys"
	tagIntake = "intake"
)

// routes is the operation table: first the contract's own, then what puts
// points in and gets them out. The address of a picture is all that protects
// it, so its wildcard is named such that the log does not show it.
func (s *Service) routes() []route.Route {
	snapshot := map[string]string{tagLimit: "graph_snapshot", tagKeys: "both"}
	both := map[string]string{tagKeys: "both"}
	intake := map[string]string{tagIntake: "yes"}
	return append([]route.Route{
		{
			Method: "GET", Pattern: "/api/v1/graph/snapshot", Name: "graph.snapshot", Access: route.Required,
			Tags: snapshot, Handle: s.handleSnapshot,
		},
		{
			Method: "POST", Pattern: "/api/v1/graph/snapshot", Name: "graph.snapshotPost", Access: route.Required,
			MaxBody: 1 << 20, Tags: snapshot, Handle: s.handleSnapshotPost,
		},
		{
			Method: "GET", Pattern: "/api/v1/graph/snapshot_status/{secret...}", Name: "graph.status",
			Access: route.Required, Tags: both, Handle: s.handleStatus,
		},
		{
			Method: "GET", Pattern: viewPrefix + "{secret...}", Name: "graph.view", Access: route.Open,
			Handle: s.handleView,
		},
		{
			Method: "GET", Pattern: "/api/v1/validate", Name: "validate", Access: route.Required,
			Handle: s.handleValidate,
		},
		{
			Method: "POST", Pattern: "/api/v1/series", Name: "series.submit", Access: route.Required,
			MaxBody: maxSeriesV1, Tags: intake, Handle: s.handleSeriesV1,
		},
		{
			Method: "POST", Pattern: "/api/v2/series", Name: "series.submitV2", Access: route.Required,
			MaxBody: maxSeriesV2, Tags: intake, Handle: s.handleSeriesV2,
		},
		{
			Method: "POST", Pattern: "/api/v1/distribution_points", Name: "distributions.submit",
			Access: route.Required, MaxBody: maxSeriesV1, Tags: intake, Handle: s.handleDistributions,
		},
		{
			Method: "POST", Pattern: "/api/v1/write", Name: "remoteWrite", Access: route.Required, MaxBody: maxWrite,
			Tags: intake, Handle: s.handleRemoteWrite,
		},
		{
			Method: "POST", Pattern: "/api/v1/otlp/v1/metrics", Name: "otlp.metrics", Access: route.Required,
			MaxBody: maxWrite, Tags: intake, Handle: s.handleOTLP,
		},
		{
			Method: "POST", Pattern: "/v1/metrics", Name: "otlp.metricsShort", Access: route.Required,
			MaxBody: maxWrite, Tags: intake, Handle: s.handleOTLP,
		},
		{
			Method: "POST", Pattern: "/api/v1/check_run", Name: "checks.submit", Access: route.Required, Tags: intake,
			Handle: s.handleCheckRun,
		},
		{
			Method: "POST", Pattern: "/api/v1/events", Name: "events.create", Access: route.Required, Tags: intake,
			Handle: s.handlePostEvent,
		},
	}, s.readRoutes()...)
}

// readRoutes get events, points and what is known about metrics.
func (s *Service) readRoutes() []route.Route {
	read := map[string]string{tagLimit: "query", tagKeys: "both"}
	both := map[string]string{tagKeys: "both"}
	return []route.Route{
		{
			Method: "GET", Pattern: "/api/v1/events", Name: "events.list", Access: route.Required, Tags: read,
			Handle: s.handleListEvents,
		},
		{
			Method: "GET", Pattern: "/api/v1/events/{id}", Name: "events.get", Access: route.Required, Tags: read,
			Handle: s.handleGetEvent,
		},
		{
			Method: "GET", Pattern: "/api/v1/query", Name: "query", Access: route.Required, Tags: read,
			Handle: s.handleQuery,
		},
		{
			Method: "GET", Pattern: "/api/v1/metrics", Name: "metrics.list", Access: route.Required, Tags: read,
			Handle: s.handleListMetrics,
		},
		{
			Method: "GET", Pattern: "/api/v1/metrics/{metric}", Name: "metrics.get", Access: route.Required, Tags: read,
			Handle: s.handleGetMetadata,
		},
		{
			Method: "PUT", Pattern: "/api/v1/metrics/{metric}", Name: "metrics.update", Access: route.Required,
			Tags: both, Handle: s.handlePutMetadata,
		},
		{
			Method: "POST", Pattern: "/api/v2/query/timeseries", Name: "query.timeseries", Access: route.Required,
			MaxBody: 1 << 20, Tags: read, Handle: s.handleTimeseries,
		},
		{
			Method: "POST", Pattern: "/api/v2/query/scalar", Name: "query.scalar", Access: route.Required,
			MaxBody: 1 << 20, Tags: read, Handle: s.handleScalar,
		},
		{
			Method: "GET", Pattern: "/api/v1/search", Name: "search", Access: route.Required, Tags: read,
			Handle: s.handleSearch,
		},
	}
}

func (s *Service) muxOptions() route.Options {
	d := s.world.Dialect
	return s.world.RouteOptions(route.Options{
		Service:    Name,
		WriteError: s.writeError,
		// Headers are the contract's way; old clients send both keys in the
		// query, and senders of other protocols know bearer values only.
		Extract: credential.FirstOf(
			credential.KeyPair(d.Accepts(dialect.APIKey), d.Accepts(dialect.ApplicationKey)),
			credential.QueryPair([]string{"api_key"}, []string{"application_key"}),
			credential.Bearer(),
		),
		Authenticate: s.identity.PairAuthenticator(Name),
		Gate:         s.gate,
	})
}

// Names of budgets that every caller has beside those of snapshots and queries.
const (
	requestsLimit = Name + ".requests"
	pointsLimit   = Name + ".points"
	activeLimit   = Name + ".active_series"
)
