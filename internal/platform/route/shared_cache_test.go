package route_test

import (
	"errors"
	"net/http"
	"testing"

	"stoa.dev/stoa/internal/platform/route"
)

// TestAnswersStayOutOfSharedCaches: whatever a handler does, what it says of caches holds for its answer and not for a
// failure, and an answer to a known caller is for that caller.
func TestAnswersStayOutOfSharedCaches(t *testing.T) {
	t.Parallel()
	saying := func(words string, err error) route.Handler {
		return func(w http.ResponseWriter, _ *route.Request) error {
			if words != "" {
				w.Header().Set("Cache-Control", words)
			}
			if err == nil {
				w.WriteHeader(http.StatusNoContent)
			}
			return err
		}
	}
	panics := func(http.ResponseWriter, *route.Request) error { panic("x") }
	silent := func(http.ResponseWriter, *route.Request) error { return nil }
	const forAll = "public, max-age=60"
	h := build(t, []route.Route{
		{Method: "GET", Pattern: "/nothing-said", Name: "a", Handle: saying("", nil)},
		{Method: "GET", Pattern: "/for-all", Name: "b", Handle: saying(forAll, nil), Access: route.Optional},
		{Method: "GET", Pattern: "/fails", Name: "c", Handle: saying(forAll, errors.New("broken"))},
		{Method: "GET", Pattern: "/silent", Name: "d", Handle: silent},
		{Method: "GET", Pattern: "/panics", Name: "e", Handle: panics},
	})
	for path, want := range map[string]string{
		"/nothing-said": "private", "/for-all": forAll, "/fails": "private", "/silent": "private", "/panics": "private",
		"/unknown": "private",
	} {
		if got := do(h.mux, "GET", path).Result().Header.Get("Cache-Control"); got != want {
			t.Errorf("%s: Cache-Control %q, want %q", path, got, want)
		}
	}
	known := do(h.mux, "GET", "/for-all", "Authorization", "Bearer ann")
	if got := known.Result().Header.Get("Cache-Control"); got != "private, max-age=60" {
		t.Errorf("to a caller: Cache-Control %q", got)
	}
}
