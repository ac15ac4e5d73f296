package locations

import (
	"stoa.dev/stoa/internal/platform/route"
)

// Prefixes are the two addresses of one API: the second is that of the services
// without the common envelope.
func Prefixes() []string {
	return []string{"/apis/v4/listing-management", "/apis/v4-raw/listing-management"}
}

// Routes are the methods that answer in the local envelope, at both addresses.
func (s *Service) Routes() []route.Route {
	var out []route.Route
	for _, prefix := range Prefixes() {
		locations := prefix + "/v1/external/locations"
		location := locations + "/{locationId}"
		out = append(out,
			route.Route{Method: "GET", Pattern: locations, Name: "locations.list", Handle: s.handleListLocations},
			route.Route{Method: "PUT", Pattern: locations, Name: routeUpdateMany, Handle: s.handleUpdateLocations},
			route.Route{Method: "GET", Pattern: location, Name: "locations.get", Handle: s.handleGetLocation},
			route.Route{Method: "PUT", Pattern: location, Name: routeUpdate, Handle: s.handleUpdateLocation},
		)
	}
	return out
}

// The names of the routes that have limits of their own.
const (
	routeUpdate     = "locations.update"
	routeUpdateMany = "locations.updateMany"
)
