package route_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/route"
)

// named is a handler that says its name.
func named(name string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, name) })
}

func TestRoof(t *testing.T) {
	t.Parallel()
	f := route.NewHostMux(nil)
	f.Prefix("/api/v2", named("articles"))
	f.Prefix("/api/v2/limits/", named("limits"))
	f.Prefix("/api", named("api"))
	f.Prefix("/v3", named("packages"))
	f.Prefix("/a b", named("space"))
	f.Host("*.localhost", named("team"))
	f.Host("kms.test", named("kms"))
	for _, c := range []struct{ url, want string }{
		{"http://x/api/v2", "articles"},
		{"http://x/api/v2/", "articles"},
		{"http://x/api/v2/items", "articles"},
		{"http://x/api/v2/limits", "limits"},
		{"http://x/api/v2/limits/label", "limits"},
		{"http://x/api/v2/limitsx", "articles"},
		{"http://x/api/v20", "api"},
		{"http://x/api", "api"},
		{"http://x/apix", "not_found"},
		{"http://x/v3/p/@a%2Fb", "packages"},
		{"http://x/v3%2Fp", "not_found"},
		{"http://x/%763/p", "packages"},
		{"http://x/a%20b/c", "space"},
		{"http://x/", "not_found"},
		{"http://x//v3", "not_found"},
		{"http://team.localhost/api/v2", "team"},
		{"http://TEAM.LocalHost:8080/anything", "team"},
		{"http://team.localhost./x", "team"},
		{"http://a.b.localhost/v3", "packages"},
		{"http://localhost/v3", "packages"},
		{"http://.localhost/v3", "packages"},
		{"http://kms.test/v3", "kms"},
		{"http://[::1]:80/v3", "packages"},
	} {
		t.Run(c.url, func(t *testing.T) {
			t.Parallel()
			if got := do(f, "GET", c.url).Body.String(); !strings.Contains(got, c.want) {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestRoofFallback(t *testing.T) {
	t.Parallel()
	rec := do(route.NewHostMux(nil), "GET", "/nowhere")
	var got struct{ Error, Message string }
	if err := json.Unmarshal(rec.Body.Bytes(), &got); err != nil {
		t.Fatalf("%v: %s", err, rec.Body)
	}
	if rec.Code != 404 || got.Error != "not_found" || !strings.Contains(got.Message, "/docs/") {
		t.Errorf("got %d %+v, want 404, not_found and a pointer to /docs/", rec.Code, got)
	}
	own := route.NewHostMux(named("own"))
	if got := do(own, "GET", "/nowhere").Body.String(); got != "own" {
		t.Errorf("own fallback: got %q", got)
	}
	own.Prefix("/", named("root"))
	own.Prefix("/a", named("a"))
	for url, want := range map[string]string{"/": "root", "/x/y": "root", "/a/b": "a"} {
		if got := do(own, "GET", url).Body.String(); got != want {
			t.Errorf("%s: got %q, want %q", url, got, want)
		}
	}
}

func TestRoofRefusesDoubles(t *testing.T) {
	t.Parallel()
	for name, register := range map[string]func(*route.HostMux){
		"prefix twice":     func(f *route.HostMux) { f.Prefix("/a", nil); f.Prefix("/a/", nil) },
		"prefix no path":   func(f *route.HostMux) { f.Prefix("a", nil) },
		"prefix not clean": func(f *route.HostMux) { f.Prefix("/a//b", nil) },
		"host twice":       func(f *route.HostMux) { f.Host("A.test", named("")); f.Host("a.test", named("")) },
		"host star inside": func(f *route.HostMux) { f.Host("a.*.test", named("")) },
		"host empty":       func(f *route.HostMux) { f.Host("", named("")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			defer func() {
				if recover() == nil {
					t.Error("accepted, want a panic")
				}
			}()
			register(route.NewHostMux(nil))
		})
	}
}
