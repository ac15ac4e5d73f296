package route_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/platform/route"
)

// FuzzVerbs checks, for any last segment, that name and verb put together are
// the segment and that nothing but a known verb is cut off.
func FuzzVerbs(f *testing.F) {
	var gotName, gotValue string
	see := func(w http.ResponseWriter, r *route.Request) error {
		gotName, gotValue = r.Route.Name, r.PathValue("x")
		return nil
	}
	mux := build(f, []route.Route{
		{Method: "GET", Pattern: "/m/{x}:run", Name: ":run", Handle: see},
		{Method: "GET", Pattern: "/m/{x}:stop", Name: ":stop", Handle: see},
	}, func(o *route.Options) { o.Telemetry = nil })
	fuzztest.Strings(f, "a", "a:run", "a:b:run", ":run", "a:", "a/b:stop", "%2F:run", "é:run", "..", "a:run:stop")
	f.Fuzz(func(t *testing.T, segment string) {
		gotName, gotValue = "", ""
		r := &http.Request{Method: "GET", URL: &url.URL{Path: "/m/" + segment, RawPath: "/m/" + url.PathEscape(segment)},
			Header: http.Header{}, Host: "x"}
		rec := httptest.NewRecorder()
		mux.mux.ServeHTTP(rec, r)
		verb := ""
		for _, v := range []string{":run", ":stop"} {
			if strings.HasSuffix(segment, v) && len(segment) > len(v) && segment[len(segment)-len(v)-1] != '/' {
				verb = v
			}
		}
		if gotName != verb || (verb != "" && gotValue+gotName != segment && rec.Code == 200) {
			if rec.Code == 404 && gotName == "" {
				return // refused as a whole: NUL, broken UTF-8, dots
			}
			t.Errorf("%q: got %q and %q, want verb %q", segment, gotValue, gotName, verb)
		}
	})
}

// FuzzPaths checks that no path makes the mux panic, redirect or answer outside
// its envelope.
func FuzzPaths(f *testing.F) {
	mux := build(f, table(), func(o *route.Options) { o.Telemetry = nil })
	fuzztest.Strings(f, "/open", "//", "/things/%2F", "/tree", "/files/../x", "/./", "/things/a:b?x=%ff", "*", "")
	f.Fuzz(func(t *testing.T, target string) {
		u, err := url.ParseRequestURI(target)
		if err != nil {
			return
		}
		rec := httptest.NewRecorder()
		mux.mux.ServeHTTP(rec, &http.Request{Method: "GET", URL: u, Header: http.Header{}, Host: "x"})
		if rec.Code != 200 && !strings.Contains(rec.Body.String(), `"envelope":"test"`) {
			t.Errorf("%q: got %d %s", target, rec.Code, rec.Body)
		}
		if strings.Contains(fmt.Sprint(rec.Header()), "Location") {
			t.Errorf("%q: redirected: %v", target, rec.Header())
		}
	})
}
