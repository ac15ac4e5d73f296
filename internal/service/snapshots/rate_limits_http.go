package snapshots

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/clientaddr"
	"stoa.dev/stoa/internal/platform/wire"
)

// perHour is the budget behind a name; windows are aligned to the hour.
func (s *Service) perHour(name string) limit.Window {
	w := limit.Window{Name: Name + "." + name, Limit: s.config.QueriesPerHour, Per: time.Hour, Aligned: true}
	if name == "graph_snapshot" {
		w.Limit = s.config.SnapshotsPerHour
	}
	return w
}

// gate asks for the application key where it is needed and charges the budget.
func (s *Service) gate(w http.ResponseWriter, r *route.Request) (func(), error) {
	if r.Caller == nil {
		return nil, s.chargeRequest(r, "address:"+clientaddr.Network(r.Request))
	}
	caller := identity.From(r)
	if r.Route.Tags[tagKeys] == "both" && caller.ApplicationKeyID == 0 {
		return nil, errNeedsApplicationKey(s.world.Dialect.Says(dialect.ApplicationKey))
	}
	name := r.Route.Tags[tagLimit]
	if name == "" {
		return nil, s.chargeRequest(r, tenantOf(caller).Org)
	}
	window := s.perHour(name)
	decision, err := s.world.Limits.Take(r.Context(), window, tenantOf(caller).Org, 1)
	var exceeded *limit.Exceeded
	if err != nil && !errors.As(err, &exceeded) {
		return nil, err
	}
	wait := decision.Reset.Sub(s.world.Clock.Now())
	if exceeded != nil {
		decision, wait = exceeded.Decision, exceeded.RetryAfter
	}
	h := w.Header()
	h.Set("X-RateLimit-Limit", strconv.FormatInt(decision.Limit, 10))
	h.Set("X-RateLimit-Period", wire.WholeSeconds(window.Per))
	h.Set("X-RateLimit-Remaining", strconv.FormatInt(decision.Remaining, 10))
	h.Set("X-RateLimit-Reset", wire.WholeSeconds(wait))
	h.Set("X-RateLimit-Name", name)
	return nil, err
}

// chargeRequest takes one request from the budget of an owner or a network.
func (s *Service) chargeRequest(r *route.Request, key string) error {
	_, err := s.world.Limits.Take(r.Context(),
		limit.Window{Name: requestsLimit, Limit: s.config.RequestsPerMinute, Per: time.Minute}, key, 1)
	return err
}
