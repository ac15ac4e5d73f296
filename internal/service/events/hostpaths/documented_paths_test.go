package hostpaths_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"stoa.dev/stoa/internal/service/events/hostpaths"
)

func TestDocumented(t *testing.T) {
	t.Parallel()
	if list := hostpaths.Segments(); !slices.IsSorted(list) || len(slices.Compact(list)) != len(hostpaths.Segments()) {
		t.Errorf("the segments are not in order, once each: %v", list)
	}
	for path, want := range map[string]bool{
		"/feeds": true, "/projects/1": true, "/codes_of_conduct": true, "/": false, "": false, "/feed": false,
		"/feedsx": false, "/ada/feeds": false, "/Feeds": false,
	} {
		if got := hostpaths.Documented(path); got != want {
			t.Errorf("%q: %v, want %v", path, got, want)
		}
	}
}

// TestUnowned: pages come first, then what is documented, and the rest is no concern of the service.
func TestUnowned(t *testing.T) {
	t.Parallel()
	served := ""
	unowned := hostpaths.Unowned(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/search" { // an owner of that name
			served = "page"
		}
		return served != ""
	}, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { served = "api" }))
	for path, want := range map[string]string{"/search": "page", "/search/code": "api", "/zen": "api", "/ada": ""} {
		served = ""
		got := unowned(httptest.NewRecorder(), httptest.NewRequest("GET", path, nil))
		if served != want || got != (want != "") {
			t.Errorf("%s: served by %q, %v; want %q", path, served, got, want)
		}
	}
}
