package articles

import (
	"net"
	"net/http"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/clientaddr"
	"stoa.dev/stoa/internal/service/articles/refusal"
	"stoa.dev/stoa/internal/service/articles/site"
)

// before keeps plain HTTP on the machine: the contract requires TLS.
func (s *Service) before(_ http.ResponseWriter, r *route.Request) error {
	if r.TLS != nil || strings.HasPrefix(s.world.URL(r.Context()), "https:") || clientaddr.Loopback(r.Request) {
		return nil
	}
	return errForbidden("Use HTTPS")
}

// gate finds the site and checks its rules.
func (s *Service) gate(w http.ResponseWriter, r *route.Request) (release func(), err error) {
	need := r.Route.Tags[tagNeed]
	if need == needFile {
		return nil, nil
	}
	if err := s.charge(w, r); err != nil || need == needNothing {
		return nil, err
	}
	at, err := s.site(r)
	if err != nil {
		return nil, err
	}
	switch only := r.Route.Tags[tagEdition]; {
	case only == editionTeam && at.Team == nil:
		return nil, errNotFound()
	case only == editionPublic && at.Team != nil:
		// Likes are all that only the public site has.
		return nil, refusal.New(refusal.NotFound, "Likes are abolished in teams since 2020-11-04; use reactions")
	}
	return nil, s.sites.Authorize(r.Context(), at, site.Need{Write: writes(r), Own: need == needOwn}, identity.From(r))
}

func writes(r *route.Request) bool { return r.Method != http.MethodGet && r.Method != http.MethodHead }

// site is the one that the request's host names.
func (s *Service) site(r *route.Request) (site.Site, error) {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return s.sites.ByHost(r.Context(), host)
}
