package locations

import (
	"stoa.dev/stoa/internal/platform/describe"
)

// Operations describes the routes, by name.
func Operations() map[string]describe.Operation {
	return map[string]describe.Operation{
		"locations.list": {Summary: "List your locations", Out: locationPageJSON{}, Query: []string{"page", "size"}},
		"locations.get":  {Summary: "Get a location", Out: Location{}},
		routeUpdate:      {Summary: "Update a location", In: LocationChange{}, Out: Location{}},
		routeUpdateMany: {
			Summary: "Update many locations; some may fail", In: []LocationChange{}, Out: []outcomeJSON{},
		},
	}
}

// Envelopes are values of what stands around an answer.
func Envelopes() (success, failure any) { return localSuccessJSON{}, localFailureJSON{} }
