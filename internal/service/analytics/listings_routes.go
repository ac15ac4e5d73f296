package analytics

import (
	"time"

	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
)

// listingPrefixes are the two addresses of one API: the second is that of the
// services without the common envelope.
func listingPrefixes() []string {
	return []string{"/apis/v4/listing-management", "/apis/v4-raw/listing-management"}
}

// listingRoutes are the methods that answer in the local envelope.
func (s *Service) listingRoutes() []route.Route {
	var out []route.Route
	for _, prefix := range listingPrefixes() {
		locations := prefix + "/v1/external/locations"
		location := locations + "/{locationId}"
		out = append(out,
			route.Route{Method: "GET", Pattern: locations, Name: "locations.list", Handle: s.handleListLocations},
			route.Route{Method: "PUT", Pattern: locations, Name: updateLocations, Handle: s.handleUpdateLocations},
			route.Route{Method: "GET", Pattern: location, Name: "locations.get", Handle: s.handleGetLocation},
			route.Route{Method: "PUT", Pattern: location, Name: updateLocation, Handle: s.handleUpdateLocation},
		)
	}
	return guarded(out)
}

// The names of the routes that have limits of their own.
const (
	updateLocation  = "locations.update"
	updateLocations = "locations.updateMany"
)

// listingOptions are those of the mux that answers in the local envelope.
func (s *Service) listingOptions() route.Options {
	o := s.guardOptions()
	o.WriteError = writeLocalError
	o.Gate = s.gateFor(func(r *route.Request) limit.Window {
		switch r.Route.Name {
		case updateLocation:
			return limit.Window{Name: Name + ".update", Limit: s.config.UpdatesPerSecond, Per: time.Second}
		case updateLocations:
			return limit.Window{Name: Name + ".updates", Limit: s.config.BulksPerMinute, Per: time.Minute}
		}
		return limit.Window{Name: Name + ".listings", Limit: s.config.RequestsPerSecond, Per: time.Second}
	})
	return o
}
