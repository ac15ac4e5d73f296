package hostmux_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/route/hostmux"
)

// named is a handler that says its name.
func named(name string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, name) })
}

func get(h http.Handler, url string) *httptest.ResponseRecorder {
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest("GET", url, nil))
	return rec
}

func TestMux(t *testing.T) {
	t.Parallel()
	f := hostmux.New(nil)
	f.Prefix("/api/v2", named("articles"))
	f.Prefix("/api/v2/limits/", named("limits"))
	f.Prefix("/api", named("api"))
	f.Prefix("/v3", named("packages"))
	f.Prefix("/a b", named("space"))
	f.Host("*.localhost", named("team"))
	f.Host("kms.test", named("kms"))
	f.PathHost("Stoa.localhost")
	f.PathHost("kms.test")
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
		{"http://stoa.localhost:8080/v3", "packages"},
		{"http://.localhost/v3", "packages"},
		{"http://kms.test/v3", "kms"},
		{"http://[::1]:80/v3", "packages"},
	} {
		t.Run(c.url, func(t *testing.T) {
			t.Parallel()
			if got := get(f, c.url).Body.String(); !strings.Contains(got, c.want) {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestMuxFallback(t *testing.T) {
	t.Parallel()
	rec := get(hostmux.New(nil), "/nowhere")
	var got struct{ Error, Message string }
	if err := json.Unmarshal(rec.Body.Bytes(), &got); err != nil {
		t.Fatalf("%v: %s", err, rec.Body)
	}
	if rec.Code != 404 || got.Error != "not_found" || !strings.Contains(got.Message, "/docs/") {
		t.Errorf("got %d %+v, want 404, not_found and a pointer to /docs/", rec.Code, got)
	}
	own := hostmux.New(named("own"))
	if got := get(own, "/nowhere").Body.String(); got != "own" {
		t.Errorf("own fallback: got %q", got)
	}
	own.Prefix("/", named("root"))
	own.Prefix("/a", named("a"))
	for url, want := range map[string]string{"/": "root", "/x/y": "root", "/a/b": "a"} {
		if got := get(own, url).Body.String(); got != want {
			t.Errorf("%s: got %q, want %q", url, got, want)
		}
	}
}

func TestMuxRefusesDoubles(t *testing.T) {
	t.Parallel()
	for name, register := range map[string]func(*hostmux.Mux){
		"prefix twice":     func(f *hostmux.Mux) { f.Prefix("/a", nil); f.Prefix("/a/", nil) },
		"prefix no path":   func(f *hostmux.Mux) { f.Prefix("a", nil) },
		"prefix not clean": func(f *hostmux.Mux) { f.Prefix("/a//b", nil) },
		"host twice":       func(f *hostmux.Mux) { f.Host("A.test", named("")); f.Host("a.test", named("")) },
		"host star inside": func(f *hostmux.Mux) { f.Host("a.*.test", named("")) },
		"host empty":       func(f *hostmux.Mux) { f.Host("", named("")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			defer func() {
				if recover() == nil {
					t.Error("accepted, want a panic")
				}
			}()
			register(hostmux.New(nil))
		})
	}
}

// sink is a ResponseWriter that costs nothing.
type sink struct{}

func (sink) Header() http.Header         { return nil }
func (sink) Write(b []byte) (int, error) { return len(b), nil }
func (sink) WriteHeader(int)             {}

func BenchmarkMux(b *testing.B) {
	f := hostmux.New(nil)
	h := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	for _, p := range []string{"/v1", "/v3", "/api/v2", "/things", "/calendar/v3", "/tasks/v1"} {
		f.Prefix(p, h)
	}
	f.Host("*.localhost", h)
	r := httptest.NewRequest("GET", "/things/42", nil)
	b.ReportAllocs()
	for b.Loop() {
		f.ServeHTTP(sink{}, r)
	}
}
