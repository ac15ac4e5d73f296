package routetest

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/fuzztest"
	"stoa.dev/stoa/internal/platform/route"
)

// wildcard is one segment of a pattern, or the rest of the path.
var wildcard = regexp.MustCompile(`\{[^{}]+\}`)

// FuzzRoutes drives every route of a service with outside bytes in the path, the
// query, the media type and the body. The texts of a path with several wildcards
// are separated by a bar. A service answers all of it in its own words: 500 says
// that something failed which should have been refused.
func FuzzRoutes(f *testing.F, routes []route.Route, do func(*http.Request) *httptest.ResponseRecorder,
	headers ...string) {
	f.Helper()
	addRoutes(f, len(routes))
	f.Fuzz(func(t *testing.T, n uint16, value, query, kind string, body []byte) {
		at := routes[int(n)%len(routes)]
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		r := request(ctx, at, value, body)
		r.URL.RawQuery = query
		r.Header.Set("Content-Type", kind)
		for _, line := range headers {
			name, text, _ := strings.Cut(line, ": ")
			r.Header.Set(name, text)
		}
		w := do(r)
		if w.Code >= http.StatusInternalServerError && w.Code != http.StatusNotImplemented &&
			w.Code != http.StatusServiceUnavailable {
			t.Errorf("%s %s: %d %.500s", at.Method, r.URL, w.Code, w.Body)
		}
	})
}

// addRoutes adds seeds for each route, and mutations for some of them.
func addRoutes(f *testing.F, count int) {
	f.Helper()
	const form, object = "application/x-www-form-urlencoded", "application/json"
	for n := range count {
		f.Add(uint16(n), "1", "", object, []byte(`{}`))
		f.Add(uint16(n), "\xff\x00", "%zz=&a=%00&b=%ff", object, []byte(`[null,{"a":[{}]}]`))
		f.Add(uint16(n), "..|a/b|é:x", "page=-1&limit=9223372036854775808&maxResults=1e9&offset=-1", form,
			[]byte("a=%00&b=%ff&client_id=x&scope=a+b"))
		f.Add(uint16(n), "ada|primary", "pageToken=AAAA&syncToken=AAAA&fields=a((&query=%22&filter=x",
			"text/plain; charset=\"", []byte(`{"name":"\ud800","id":1e999}`))
		if n%16 == 0 {
			fuzztest.Add(f, uint16(n), "1", "page=1&a=b", object, []byte(`{"name":"a","title":"b","list":[1,"x",null]}`))
		}
	}
}

// request fills the wildcards of a route.
func request(ctx context.Context, at route.Route, value string, body []byte) *http.Request {
	values, n := strings.Split(value, "|"), 0
	fill := func(escape func(string) string) string {
		n = 0
		return wildcard.ReplaceAllStringFunc(at.Pattern, func(name string) string {
			if name == "{$}" {
				return ""
			}
			n++
			return escape(values[(n-1)%len(values)])
		})
	}
	method := at.Method
	if method == "" {
		method = http.MethodPost
	}
	r := httptest.NewRequestWithContext(ctx, method, "/", bytes.NewReader(body))
	r.URL = &url.URL{Path: fill(func(s string) string { return s }), RawPath: fill(url.PathEscape)}
	r.RequestURI = r.URL.RequestURI()
	return r
}
