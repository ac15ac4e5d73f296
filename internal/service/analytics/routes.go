package analytics

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/oauth"
	"stoa.dev/stoa/internal/platform/route"
)

// maxForm is far above any form of this contract.
const maxForm = 64 << 10

// oauthRoutes are the token flows. Clients prove themselves in the form, so no
// route asks for a bearer token.
func (s *Service) oauthRoutes() []route.Route {
	return []route.Route{
		{Method: "POST", Pattern: "/dag/device/code", Name: "dag.device.code", MaxBody: maxForm, Handle: s.handleDeviceCode},
		{Method: "POST", Pattern: "/dag/device/token", Name: "dag.device.token", MaxBody: maxForm, Handle: s.handleDeviceToken},
		{Method: "GET", Pattern: "/dag/auth/verify_code", Name: "dag.auth.verifyCode", Handle: s.handleVerifyCode},
		{Method: "GET", Pattern: "/oauth2/authorize", Name: "oauth2.authorize", Handle: s.handleAuthorize},
		{Method: "GET", Pattern: "/oauth2/success", Name: "oauth2.success", Handle: s.handleSuccess},
		{Method: "POST", Pattern: "/oauth2/access_token", Name: "oauth2.accessToken", MaxBody: maxForm, Handle: s.handleAccessToken},
	}
}

// maxData holds a full list of locations, with room to spare.
const maxData = 32 << 20

// dataRoutes are the methods that answer in the common envelope.
func (s *Service) dataRoutes() []route.Route {
	const (
		projects  = "/apis/v4/projects/v0"
		tracker   = "/apis/v4/map-rank-tracker/v0"
		campaigns = tracker + "/campaigns"
		campaign  = campaigns + "/{campaignId}"
	)
	return guarded([]route.Route{
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
		{Method: "GET", Pattern: campaign + "/top-competitors", Name: "campaigns.topCompetitors", Handle: s.handleTopCompetitors},
		{Method: "GET", Pattern: tracker + "/limits", Name: "limits.get", Handle: s.handleLimits},
	})
}

// guarded makes every row ask for a token with the scope of the service.
func guarded(routes []route.Route) []route.Route {
	for i := range routes {
		routes[i].Access, routes[i].Scopes = route.Required, []string{ScopeUserID}
	}
	return routes
}

// closed adds rows for what the table does not have, so that whoever asks shows
// a token before learning what is there: other methods of its paths, and other
// paths below the prefixes. OPTIONS stays with the mux.
func closed(routes []route.Route, prefixes ...string) []route.Route {
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
				out = append(out, route.Route{Method: method, Pattern: pattern, Name: "otherMethod", Access: route.Required, Handle: refuseMethod(has[pattern])})
			}
		}
	}
	for _, prefix := range prefixes {
		for _, method := range methods {
			out = append(out, route.Route{Method: method, Pattern: prefix + "/{rest...}", Name: "unknown", Access: route.Required, Handle: handleUnknown})
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

func (s *Service) oauthOptions() route.Options {
	return route.Options{
		Service: Name, WriteError: oauth.WriteError, Gate: s.oauthGate,
		Clock: s.world.Clock, IDs: s.world.IDs, Memory: s.world.Memory, Requests: s.world.Requests, Telemetry: s.world.Telemetry,
	}
}

// oauthGate charges the caller's network, operation by operation: no request shows
// a credential before its form is read. Codes have a window of their own.
func (s *Service) oauthGate(_ http.ResponseWriter, r *route.Request) (func(), error) {
	w := limit.Window{Name: Name + "." + r.Route.Name, Limit: s.config.OAuthPerMinute, Per: time.Minute}
	_, err := s.world.Limits.Take(r.Context(), w, "network:"+route.Network(r.Request), 1)
	return nil, err
}

// dataOptions are those of the mux that answers in the common envelope.
func (s *Service) dataOptions() route.Options {
	o := s.guardOptions()
	o.WriteError = writeError
	o.Gate = s.gateFor(func(*route.Request) limit.Window {
		return limit.Window{Name: Name + ".requests", Limit: s.config.RequestsPerSecond, Per: time.Second}
	})
	return o
}

// guardOptions are what both data muxes share: all but the envelope and the
// limits.
func (s *Service) guardOptions() route.Options {
	return route.Options{
		Service: Name, Faults: faults(),
		Extract: route.Bearer(), Authenticate: s.identity.Authenticator(Name),
		Before: s.open, MaxBody: maxData, Timeout: s.config.Timeout,
		CORS:  &route.CORS{Origins: []string{"*"}, MaxAge: time.Hour},
		Clock: s.world.Clock, IDs: s.world.IDs, Memory: s.world.Memory, Requests: s.world.Requests, Telemetry: s.world.Telemetry,
	}
}

// open turns requests away during maintenance, before anything is looked at.
func (s *Service) open(http.ResponseWriter, *route.Request) error {
	if s.config.Maintenance {
		return errUnavailable("the service is in maintenance; try again later")
	}
	return nil
}

// tokensPerOwner is how many tokens with full budgets one owner has the use of.
const tokensPerOwner = 10

// gateFor charges the token, whoever it belongs to, and keeps the number of
// requests that run at once in bounds.
func (s *Service) gateFor(window func(*route.Request) limit.Window) func(http.ResponseWriter, *route.Request) (func(), error) {
	return func(_ http.ResponseWriter, r *route.Request) (func(), error) {
		// Anybody makes as many tokens as they like, so the owner has a share too.
		place, err := s.inFlight.Take(r.Context(), r.Owner(), 1)
		if err != nil {
			return nil, errUnavailable("the service is overloaded; try again later")
		}
		each := window(r)
		whole := limit.Window{Name: each.Name + ".owner", Limit: each.Limit * tokensPerOwner, Per: each.Per}
		_, err = s.world.Limits.TakeAll(r.Context(), []limit.Charge{
			{Window: each, Key: tokenKey(r), Cost: 1}, {Window: whole, Key: r.Caller.LimitKey(), Cost: 1},
		})
		return place.Release, err
	}
}

func tokenKey(r *route.Request) string {
	return "token/" + strconv.FormatInt(identity.From(r).TokenID, 10)
}

// perMinute bounds the device flows one network starts.
func (s *Service) perMinute() limit.Window {
	return limit.Window{Name: Name + ".codes", Limit: s.config.CodesPerMinute, Per: time.Minute}
}
