package analytics

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/describe"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/analytics/locations"
)

// The description that is served has every data method and no other, and every
// member that the code writes.
func TestOpenAPI(t *testing.T) {
	t.Parallel()
	var s *Service
	h := identitytest.SQLite(t, func(w *world.World, identity *identity.Identity) module.Module {
		s = New(w, identity, grants.New(w, identity), DefaultConfig())
		return s.Module()
	})
	answer := h.Do(httptest.NewRequest(http.MethodGet, "/docs/analytics/openapi.json", nil))
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string         `json:"operationId"`
			Summary     string         `json:"summary"`
			Responses   map[string]any `json:"responses"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(answer.Body.Bytes(), &document); err != nil || answer.Code != http.StatusOK {
		t.Fatalf("description: %d %v", answer.Code, err)
	}
	routes := slices.Concat(s.dataRoutes(), s.locationRoutes())
	described, ids := 0, map[string]bool{}
	for _, methods := range document.Paths {
		described += len(methods)
		for _, o := range methods {
			if ids[o.OperationID] {
				t.Errorf("operation %s is there twice", o.OperationID)
			}
			ids[o.OperationID] = true
		}
	}
	if described != len(routes) {
		t.Errorf("operations: got %d, want %d", described, len(routes))
	}
	names := map[string]bool{}
	for _, r := range routes {
		names[r.Name] = true
		if o := document.Paths[r.Pattern][strings.ToLower(r.Method)]; o.Summary == "" || o.Responses["200"] == nil ||
			o.Responses["default"] == nil {
			t.Errorf("%s %s (%s) is not described: %+v", r.Method, r.Pattern, r.Name, o)
		}
	}
	for _, known := range []map[string]describe.Operation{operations(), locations.Operations()} {
		for name := range known {
			if !names[name] {
				t.Errorf("%s is described and has no route", name)
			}
		}
	}
	for _, member := range []string{
		"holidayHours", "average_positions", "field_violations", "requestId", "collectingReportDate", "domain_unicode",
		"shareOfTop3",
	} {
		if !strings.Contains(answer.Body.String(), `"`+member+`"`) {
			t.Errorf("%s is not described", member)
		}
	}
}
