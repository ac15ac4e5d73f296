package apidescription_test

import (
	"slices"
	"testing"

	"stoa.dev/stoa/internal/service/calendar/apidescription"
)

// TestTypes: what is taken without effect is described with the type that clients send.
func TestTypes(t *testing.T) {
	t.Parallel()
	api := apidescription.API("calendar", "/calendar/v3")
	if api.BasePath != "/calendar/v3/" || api.BatchParts != 50 {
		t.Errorf("the API: %+v", api)
	}
	typed := slices.Concat(api.Booleans, api.Integers)
	for operation, names := range apidescription.WithoutEffect() {
		for _, name := range names {
			if name != "sendUpdates" && !slices.Contains(typed, name) {
				t.Errorf("%s: %s has no type", operation, name)
			}
		}
	}
}
