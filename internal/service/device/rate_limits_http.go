package device

import (
	"net/http"
	"time"

	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/clientaddr"
)

// gate charges the caller's network, operation by operation: the credential is in
// the form, which is read later.
func (s *Service) gate(_ http.ResponseWriter, r *route.Request) (func(), error) {
	w := limit.Window{Name: Name + "." + r.Route.Name, Limit: s.config.RequestsPerMinute, Per: time.Minute}
	if r.Route.Name == "device.code" {
		w.Limit = s.config.CodesPerNetwork
	}
	_, err := s.world.Limits.Take(r.Context(), w, "network:"+clientaddr.Network(r.Request), 1)
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
