package analytics

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/credential"
	"stoa.dev/stoa/internal/service/analytics/locations"
)

// maxBody is more than a full list of locations needs.
const maxBody = 32 << 20

// dataRoutes are the methods that answer in the common envelope.
func (s *Service) dataRoutes() []route.Route {
	const (
		projects  = "/apis/v4/projects/v0"
		tracker   = "/apis/v4/map-rank-tracker/v0"
		campaigns = tracker + "/campaigns"
		campaign  = campaigns + "/{campaignId}"
	)
	return withToken([]route.Route{
		{Method: "GET", Pattern: projects, Name: "projects.list", Handle: s.handleListProjects},
		{Method: "POST", Pattern: projects, Name: "projects.create", Handle: s.handleCreateProject},
		{Method: "PUT", Pattern: projects, Name: "projects.update", Handle: s.handleUpdateProject},
		{Method: "GET", Pattern: projects + "/{project_id}", Name: "projects.get", Handle: s.handleGetProject},
		{Method: "DELETE", Pattern: projects + "/{project_id}", Name: "projects.delete", Handle: s.handleDeleteProject},
		{Method: "GET", Pattern: campaigns, Name: "campaigns.list", Handle: s.handleListCampaigns},
		{Method: "POST", Pattern: campaigns, Name: "campaigns.create", Handle: s.handleCreateCampaign},
		{Method: "GET", Pattern: campaign, Name: "campaigns.get", Handle: s.handleGetCampaign},
		{Method: "PATCH", Pattern: campaign, Name: "campaigns.update", Handle: s.handleUpdateCampaign},
		{Method: "DELETE", Pattern: campaign, Name: "campaigns.delete", Handle: s.handleDeleteCampaign},
		{Method: "PUT", Pattern: campaign + "/collect", Name: "campaigns.collect", Handle: s.handleCollect},
		{Method: "GET", Pattern: campaign + "/keywords", Name: "campaigns.keywords", Handle: s.handleKeywords},
		{Method: "GET", Pattern: campaign + "/heatmap", Name: "campaigns.heatmap", Handle: s.handleHeatmap},
		{Method: "GET", Pattern: campaign + "/metrics", Name: "campaigns.metrics", Handle: s.handleMetrics},
		{
			Method: "GET", Pattern: campaign + "/top-competitors", Name: "campaigns.topCompetitors",
			Handle: s.handleTopCompetitors,
		},
		{Method: "GET", Pattern: tracker + "/limits", Name: "limits.get", Handle: s.handleLimits},
	})
}

// withToken makes every row ask for a token with the scope of the service.
func withToken(routes []route.Route) []route.Route {
	for i := range routes {
		routes[i].Access, routes[i].Scopes = route.Required, []string{ScopeUserID}
	}
	return routes
}

// withFallbacks adds rows for what the table does not have, so that a caller shows
// a token before learning what is there: other methods of its paths, and other
// paths below the prefixes. OPTIONS stays with the mux.
func withFallbacks(routes []route.Route, prefixes ...string) []route.Route {
	methods := []string{"GET", "POST", "PUT", "PATCH", "DELETE"}
	has := map[string][]string{}
	var patterns []string
	for _, r := range routes {
		if has[r.Pattern] == nil {
			patterns = append(patterns, r.Pattern)
		}
		has[r.Pattern] = append(has[r.Pattern], r.Method)
	}
	out := slices.Clone(routes)
	for _, pattern := range patterns {
		for _, method := range methods {
			if !slices.Contains(has[pattern], method) {
				out = append(out, route.Route{
					Method: method, Pattern: pattern, Name: "otherMethod", Access: route.Required,
					Refuses: true, Handle: refuseMethod(has[pattern]),
				})
			}
		}
	}
	for _, prefix := range prefixes {
		for _, method := range methods {
			out = append(out, route.Route{
				Method: method, Pattern: prefix + "/{rest...}", Name: "unknown", Access: route.Required,
				Refuses: true, Handle: handleUnknown,
			})
		}
	}
	return out
}

func handleUnknown(http.ResponseWriter, *route.Request) error { return route.ErrNoRoute }

func refuseMethod(has []string) route.Handler {
	allow := slices.Sorted(slices.Values(has))
	return func(w http.ResponseWriter, _ *route.Request) error {
		w.Header().Set("Allow", strings.Join(allow, ", "))
		return &route.MethodError{Allow: allow}
	}
}

// dataOptions are those of the mux that answers in the common envelope.
func (s *Service) dataOptions() route.Options {
	o := s.guardOptions()
	o.WriteError = writeError
	o.Gate = s.gate(func(*route.Request) limit.Window {
		return limit.Window{Name: Name + ".requests", Limit: s.config.RequestsPerSecond, Per: time.Second}
	})
	return o
}

// locationRoutes are the methods that answer in the local envelope.
func (s *Service) locationRoutes() []route.Route { return withToken(s.locations.Routes()) }

// locationOptions are those of the mux that answers in the local envelope.
func (s *Service) locationOptions() route.Options {
	o := s.guardOptions()
	o.WriteError = locations.ErrorWriter(commonError)
	o.Gate = s.gate(s.locations.Window)
	return o
}

// guardOptions are what both data muxes share: all but the envelope and the
// limits.
func (s *Service) guardOptions() route.Options {
	return s.world.RouteOptions(route.Options{
		Service: Name, Faults: faults(),
		Extract: credential.Bearer(), Authenticate: s.identity.ScopedAuthenticator(Name, ScopeUserID),
		Before: s.checkMaintenance, MaxBody: maxBody, Timeout: s.config.Timeout,
		CORS: &route.CORS{MaxAge: time.Hour},
	})
}

// checkMaintenance turns requests away during maintenance, before anything is looked at.
func (s *Service) checkMaintenance(http.ResponseWriter, *route.Request) error {
	if s.config.Maintenance {
		return errUnavailable("the service is in maintenance; try again later")
	}
	return nil
}
