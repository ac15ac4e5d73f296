package articles

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
)

// The tag that says what an operation asks of its caller; see gate.
const (
	tagNeed = "need"
	// needNothing: the operation proves its caller itself.
	needNothing = "nothing"
	// needOwn: the caller's own data.
	needOwn = "own"
)

// routes is the operation table of the contract. Credentials are optional
// here, because what is needed depends on the host: gate decides.
func (s *Service) routes() []route.Route {
	open := map[string]string{tagNeed: needNothing}
	own := map[string]string{tagNeed: needOwn}
	return []route.Route{
		{Method: "GET", Pattern: "/api/v2/oauth/authorize", Name: "oauth.authorize", Tags: open, Handle: s.handleAuthorize},
		{Method: "GET", Pattern: "/api/v2/oauth/team_authorize", Name: "oauth.teamAuthorize", Tags: open, Handle: s.handleTeamAuthorize},
		{Method: "POST", Pattern: "/api/v2/access_tokens", Name: "accessTokens.create", Tags: open, Handle: s.handleCreateToken},
		{Method: "DELETE", Pattern: "/api/v2/access_tokens/{access_token}", Name: "accessTokens.delete", Tags: open, Handle: s.handleDeleteToken},
		{Method: "POST", Pattern: "/api/v2/team_access_tokens", Name: "teamAccessTokens.create", Tags: open, Handle: s.handleCreateTeamToken},
		{Method: "DELETE", Pattern: "/api/v2/team_access_tokens/{access_token}", Name: "teamAccessTokens.delete", Tags: open, Handle: s.handleDeleteTeamToken},
		{Method: "GET", Pattern: "/api/v2/authenticated_user", Name: "authenticatedUser.get", Access: route.Optional, Tags: own, Handle: s.handleAuthenticatedUser},
	}
}

func (s *Service) muxOptions() route.Options {
	return route.Options{
		Service: Name, WriteError: writeError, Before: s.before,
		Extract: route.Bearer(), Authenticate: s.people.Authenticator(Name), Gate: s.gate,
		CORS:  &route.CORS{Origins: []string{"*"}, MaxAge: time.Hour},
		Clock: s.world.Clock, IDs: s.world.IDs, Telemetry: s.world.Telemetry,
	}
}

// before keeps plain HTTP on the machine: the contract requires TLS.
func (s *Service) before(_ http.ResponseWriter, r *route.Request) error {
	if r.TLS != nil || strings.HasPrefix(s.world.URL(), "https:") {
		return nil
	}
	if from, err := netip.ParseAddrPort(r.RemoteAddr); err == nil && from.Addr().Unmap().IsLoopback() {
		return nil
	}
	return errForbidden("Use HTTPS")
}

// gate finds the edition and holds its rules.
func (s *Service) gate(_ http.ResponseWriter, r *route.Request) (release func(), err error) {
	need := r.Route.Tags[tagNeed]
	if need == needNothing {
		return nil, nil
	}
	place, err := s.place(r)
	if err != nil {
		return nil, err
	}
	write := r.Method != http.MethodGet && r.Method != http.MethodHead
	return nil, s.Admit(r.Context(), place, Need{Write: write, Own: need == needOwn}, identity.From(r))
}

// place is the edition that the request's host names.
func (s *Service) place(r *route.Request) (Place, error) {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return s.PlaceOf(r.Context(), host)
}
