package device

import (
	"net/http"
	"time"

	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/oauth"
	"stoa.dev/stoa/internal/platform/route"
)

// maxBody is far above any form of this contract.
const maxBody = 64 << 10

const (
	openIDPath = "/.well-known/openid-configuration"
	oauthPath  = "/.well-known/oauth-authorization-server"
)

// routes is the operation table of the contract. Clients authenticate in the
// form, so no route asks for a bearer token.
func (s *Service) routes() []route.Route {
	return []route.Route{
		{Method: "POST", Pattern: "/device/code", Name: "device.code", MaxBody: maxBody, Handle: s.handleCode},
		{Method: "POST", Pattern: "/token", Name: "token", MaxBody: maxBody, Handle: s.handleToken},
		{Method: "POST", Pattern: "/revoke", Name: "revoke", MaxBody: maxBody, Handle: s.handleRevoke},
		{Method: "GET", Pattern: openIDPath, Name: "discovery", Handle: s.handleDiscovery},
		{Method: "GET", Pattern: oauthPath, Name: "discovery", Handle: s.handleDiscovery},
	}
}

func (s *Service) muxOptions() route.Options {
	return route.Options{
		Service:    Name,
		WriteError: oauth.WriteError,
		Gate:       s.gate,
		CORS:       &route.CORS{MaxAge: time.Hour},
		Journal:    s.world.Journal,
		Clock:      s.world.Clock,
		IDs:        s.world.IDs,
		Memory:     s.world.Memory,
		Requests:   s.world.Requests,
		Telemetry:  s.world.Telemetry,
	}
}

// gate charges the caller's network, operation by operation: the credential is in
// the form, which is read later.
func (s *Service) gate(_ http.ResponseWriter, r *route.Request) (func(), error) {
	w := limit.Window{Name: Name + "." + r.Route.Name, Limit: s.config.RequestsPerMinute, Per: time.Minute}
	if r.Route.Name == "device.code" {
		w.Limit = s.config.CodesPerNetwork
	}
	_, err := s.world.Limits.Take(r.Context(), w, "network:"+route.Network(r.Request), 1)
	return nil, err
}

// clientNetworks is how many networks' budgets of codes a client has in all.
const clientNetworks = 100

// codeCharges bound the flows of a client: those that one network starts, because
// knowing the client's id is enough to start one, and all of them far above that.
func (s *Service) codeCharges(client, network string) []limit.Charge {
	each := limit.Window{Name: Name + ".codes", Limit: s.config.CodesPerMinute, Per: time.Minute}
	all := limit.Window{Name: Name + ".codes.client", Limit: s.config.CodesPerMinute * clientNetworks, Per: time.Minute}
	return []limit.Charge{{Window: each, Key: client + " " + network, Cost: 1}, {Window: all, Key: client, Cost: 1}}
}
