package analytics

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/routetest"
	"stoa.dev/stoa/internal/service/analytics/locations"
)

// statuses is the contract's table: what it does not name is not answered.
func statuses() map[string]int {
	return map[string]int{
		"no route": 404, "method": 551, "too large": 400, "syntax": 400, "media type": 400, "empty body": 400,
		"no credential": 401, "credential unknown": 401, "credential expired": 401, "credential revoked": 401,
		"credential malformed": 401,
		"scope":                403, "limit": 429, "deadline": 554, "client gone": 499, "panic": 550,
		"store unavailable": 553,
	}
}

// Both data envelopes give every error the same status, each in its own form.
func TestDataEnvelopes(t *testing.T) {
	t.Parallel()
	want := statuses()
	cases := []routetest.Case{
		{Name: "internal", Err: errors.New("secret cause")},
		{Name: "busy", Err: database.ErrBusy},
		{Name: "full", Err: database.ErrDiskFull},
		{Name: "own maintenance", Err: errUnavailable("x")},
		{Name: "own conflict", Err: errConflict("x")},
		{Name: "own forbidden", Err: errForbidden("x")},
		{Name: "own not found", Err: errNotFound("x")},
		{Name: "own field", Err: errInvalidField("a", "b")},
	}
	for name, status := range map[string]int{
		"internal": 550, "busy": 553, "full": 553, "own maintenance": 553, "own conflict": 409,
		"own forbidden": 403, "own not found": 404, "own field": 400,
	} {
		want[name] = status
	}
	cases = append(cases, routetest.CommonErrors()...)
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			common, local := answer(writeError, c.Err), answer(locations.ErrorWriter(commonError), c.Err)
			if common.Code != want[c.Name] || local.Code != want[c.Name] {
				t.Errorf("status: got %d and %d, want %d", common.Code, local.Code, want[c.Name])
			}
			var a struct {
				Meta  metaJSON  `json:"meta"`
				Error errorJSON `json:"error"`
			}
			if err := json.Unmarshal(common.Body.Bytes(), &a); err != nil || a.Meta.Success ||
				a.Meta.StatusCode != common.Code || a.Error.Code != common.Code || a.Error.Message == "" {
				t.Errorf("common envelope: %s %v", common.Body, err)
			}
			var b struct {
				RequestID string `json:"requestId"`
				Error     struct {
					Message string `json:"message"`
					Details []any  `json:"details"`
				} `json:"error"`
			}
			if err := json.Unmarshal(local.Body.Bytes(), &b); err != nil || b.RequestID == "" ||
				b.Error.Message == "" || b.Error.Details == nil {
				t.Errorf("local envelope: %s %v", local.Body, err)
			}
		})
	}
}

func answer(write func(http.ResponseWriter, *route.Request, error), err error) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	write(w, &route.Request{Request: httptest.NewRequest(http.MethodGet, "/", nil), ID: "request-1"}, err)
	return w
}
