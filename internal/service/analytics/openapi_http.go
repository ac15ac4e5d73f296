package analytics

import (
	"net/http"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// docsPrefix is where the service describes itself, to callers without a token too.
const docsPrefix = "/docs/analytics"

func (s *Service) docsRoutes() []route.Route {
	return []route.Route{
		{Method: "GET", Pattern: docsPrefix + "/openapi.json", Name: "docs.openapi", Handle: s.handleOpenAPI},
	}
}

func (s *Service) docsOptions() route.Options {
	return s.world.RouteOptions(route.Options{
		Service: Name, WriteError: writeError, Faults: faults(),
	})
}

func (s *Service) handleOpenAPI(w http.ResponseWriter, r *route.Request) error {
	text, err := s.description()
	if err != nil {
		return err
	}

	return wire.WriteBytes(w, r.Request, http.StatusOK, "application/json", text)
}
