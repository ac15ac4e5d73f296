package locations

import (
	"time"

	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
)

// Window is the limit that a request counts against.
func (s *Service) Window(r *route.Request) limit.Window {
	switch r.Route.Name {
	case routeUpdate:
		return limit.Window{Name: s.config.Service + ".update", Limit: s.config.UpdatesPerSecond, Per: time.Second}
	case routeUpdateMany:
		// What is wrong with a list is told at the rate of reading.
		return limit.Window{Name: s.config.Service + ".lists", Limit: s.config.RequestsPerSecond, Per: time.Second}
	}
	return limit.Window{Name: s.config.Service + ".listings", Limit: s.config.RequestsPerSecond, Per: time.Second}
}

// bulkWindow is the limit of lists that are stored.
func (s *Service) bulkWindow() limit.Window {
	return limit.Window{Name: s.config.Service + ".updates", Limit: s.config.BulksPerMinute, Per: time.Minute}
}
