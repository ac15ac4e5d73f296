package route_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/routetest"
	"stoa.dev/stoa/internal/platform/wire"
)

// readBody decodes a small object and says what it read.
func readBody(w http.ResponseWriter, r *route.Request) error {
	var in struct {
		Name string `json:"name"`
	}
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return err
	}
	return wire.WriteJSON(w, r.Request, http.StatusCreated, in)
}

// table is a small service with every kind of route.
func table() []route.Route {
	return []route.Route{
		{Method: "GET", Pattern: "/open", Name: "Open", Handle: say("open")},
		{Method: "GET", Pattern: "/who", Name: "Who", Access: route.Optional,
			Handle: func(w http.ResponseWriter, r *route.Request) error {
				_, err := fmt.Fprintf(w, "%v", r.Caller)
				return err
			}},
		{Method: "GET", Pattern: "/things/{id}", Name: "GetThing", Access: route.Required, Scopes: []string{"read", "admin"},
			Handle: sayPath("id")},
		{Method: "PUT", Pattern: "/things/{id}", Name: "PutThing", Access: route.Required, Scopes: []string{"write"},
			MaxBody: 20, Handle: readBody},
		{Method: "DELETE", Pattern: "/things/{id}", Name: "DeleteThing", Access: route.Required,
			Handle: func(w http.ResponseWriter, r *route.Request) error {
				if r.PathValue("id") == "busy" {
					return &limit.Exceeded{Decision: limit.Decision{Name: "deletes", Limit: 1, RetryAfter: time.Second}}
				}
				wire.NoContent(w, http.StatusNoContent)
				return nil
			}},
		{Method: "GET", Pattern: "/tree/", Name: "Tree", Handle: say("tree")},
		{Method: "GET", Pattern: "/files/{path...}", Name: "File", Handle: sayPath("path")},
	}
}

func TestMuxAnswersInItsEnvelope(t *testing.T) {
	t.Parallel()
	h := build(t, table())
	routetest.Run(t, h.mux, []routetest.Scenario{
		{Name: "open route", URL: "/open", Status: 200, WantBody: "open",
			WantHeader: map[string]string{"X-Request-Id": "scenario"}},
		{Name: "unknown path", URL: "/nowhere", Status: 404, Contains: []string{`"envelope":"test"`, `"no_route"`},
			WantHeader: map[string]string{"Allow": "", "Content-Type": "application/json; charset=utf-8",
				"X-Content-Type-Options": ""}},
		{Name: "wrong method keeps allow", Method: "POST", URL: "/things/1", Status: 405, Contains: []string{`"method"`},
			WantHeader: map[string]string{"Allow": "DELETE, GET, HEAD, OPTIONS, PUT"}},
		{Name: "head of get", Method: "HEAD", URL: "/open", Status: 200},
		{Name: "options of a known path", Method: "OPTIONS", URL: "/things/1", Status: 204,
			WantHeader: map[string]string{"Allow": "DELETE, GET, HEAD, OPTIONS, PUT", "Content-Type": ""}},
		{Name: "options of an unknown path", Method: "OPTIONS", URL: "/nowhere", Status: 404,
			Contains: []string{`"no_route"`}},
		{Name: "connect", Method: "CONNECT", URL: "/open", Status: 404},
		{Name: "double slash", URL: "//open", Status: 404, Contains: []string{`"no_route"`},
			WantHeader: map[string]string{"Location": ""}},
		{Name: "double slash inside", URL: "/things//1", Status: 404},
		{Name: "dot segment", URL: "/./open", Status: 404},
		{Name: "dot dot segment", URL: "/things/../open", Status: 404},
		{Name: "encoded dot dot segment", URL: "/files/%2e%2E/x", Status: 404},
		{Name: "dot dot at the end", URL: "/files/..", Status: 404},
		{Name: "three dots are a name", URL: "/files/...", Status: 200, WantBody: `File "..."`},
		{Name: "nul in the path", URL: "/files/a%00b", Status: 404},
		{Name: "latin1 in the path", URL: "/files/%ff", Status: 404},
		{Name: "tree without slash is not redirected", URL: "/tree", Status: 404, Contains: []string{`"no_route"`},
			WantHeader: map[string]string{"Location": "", "Content-Type": "application/json; charset=utf-8"}},
		{Name: "tree", URL: "/tree/a/b", Status: 200, WantBody: "tree"},
		{Name: "empty wildcard", URL: "/things/", Status: 404, Caller: "Bearer ann"},
		{Name: "empty rest", URL: "/files/", Status: 200, WantBody: `File ""`},
		{Name: "encoded slash stays in its segment", URL: "/things/a%2Fb", Caller: "Bearer ann", Status: 200,
			WantBody: `GetThing "a/b"`},
		{Name: "decoded once", URL: "/things/a%252Fb", Caller: "Bearer ann", Status: 200, WantBody: `GetThing "a%2Fb"`},
		{Name: "unicode segment", URL: "/things/%E2%82%AC", Caller: "Bearer ann", Status: 200, WantBody: `GetThing "€"`},
		{Name: "plus is not a space in a path", URL: "/things/a+b", Caller: "Bearer ann", Status: 200,
			WantBody: `GetThing "a+b"`},
		{Name: "query that is not utf-8", URL: "/open?q=%ff", Status: 400, Contains: []string{`"syntax"`}},
		{Name: "query with nul", URL: "/open?q=a%00", Status: 400, Contains: []string{`"syntax"`}},
		{Name: "query with a cut rune", URL: "/open?q=%E2%82", Status: 400, Contains: []string{`"syntax"`}},
		{Name: "query with utf-8", URL: "/open?q=%E2%82%AC+x&y=%zz", Status: 200},
	})
}

func TestMuxGates(t *testing.T) {
	t.Parallel()
	h := build(t, table())
	recorded := routetest.Record(h.mux, h.mux.Routes())
	routetest.Run(t, recorded, []routetest.Scenario{
		{Name: "no credential", URL: "/things/1", Status: 401, Contains: []string{`"none"`}},
		{Name: "unknown credential", URL: "/things/1", Caller: "Bearer eve", Status: 401, Contains: []string{`"unknown"`},
			NotContains: []string{"eve"}},
		{Name: "expired credential", URL: "/things/1", Caller: "Bearer old", Status: 401, Contains: []string{`"expired"`}},
		{Name: "malformed credential", URL: "/things/1", Caller: "Bearer", Status: 401, Contains: []string{`"malformed"`}},
		{Name: "nil caller is unknown", URL: "/things/1", Caller: "Bearer nil", Status: 401, Contains: []string{`"unknown"`}},
		{Name: "authentication fails inside", URL: "/things/1", Caller: "Bearer broken", Status: 500,
			Contains: []string{`"internal"`}, NotContains: []string{"fire"}},
		{Name: "scheme without case", URL: "/things/1", Caller: "bEARER ann", Status: 200, WantBody: `GetThing "1"`},
		{Name: "any one scope", URL: "/things/1", Caller: "Bearer bob", Status: 200},
		{Name: "missing scope", Method: "PUT", URL: "/things/1", Caller: "Bearer bob", Body: `{}`, Status: 403,
			Contains: []string{`"scope"`, "write"}},
		{Name: "optional none", URL: "/who", Status: 200, WantBody: "<nil>"},
		{Name: "optional good", URL: "/who", Caller: "Bearer ann", Status: 200, WantBody: "user:ann"},
		{Name: "optional bad", URL: "/who", Caller: "Bearer eve", Status: 401},
		{Name: "open ignores a bad one", URL: "/open", Caller: "Bearer", Status: 200},
		{Name: "open refuses a bad query", URL: "/open?%00", Status: 400},
		{Name: "body", Method: "PUT", URL: "/things/1", Caller: "Bearer ann", Body: `{"name":"x"}`, Status: 201,
			WantBody: `{"name":"x"}`},
		{Name: "oversized body", Method: "PUT", URL: "/things/1", Caller: "Bearer ann", Body: `{"name":"123456789012"}`,
			Status: 413, Contains: []string{`"too_large"`, "20 bytes"}},
		{Name: "oversized body before credentials", Method: "PUT", URL: "/things/1", Body: strings.Repeat("x", 21),
			Status: 413},
		{Name: "malformed json", Method: "PUT", URL: "/things/1", Caller: "Bearer ann", Body: `{"name":}`, Status: 400,
			Contains: []string{`"syntax"`, "at byte 8"}},
		{Name: "empty body", Method: "PUT", URL: "/things/1", Caller: "Bearer ann", Status: 400,
			Contains: []string{`"empty"`}},
		{Name: "limit", Method: "DELETE", URL: "/things/busy", Caller: "Bearer ann", Status: 429,
			Contains: []string{`"limit"`}},
		{Name: "no content", Method: "DELETE", URL: "/things/1", Caller: "Bearer ann", Status: 204,
			WantHeader: map[string]string{"Content-Length": ""}},
		{Name: "tree", URL: "/tree/", Status: 200},
		{Name: "tree fails", URL: "/tree/?%00", Status: 400},
		{Name: "file", URL: "/files/a/b", Status: 200, WantBody: `File "a/b"`},
		{Name: "file fails", URL: "/files/a?%00", Status: 400},
	})
	routetest.Coverage(t, h.mux.Routes(), recorded)
}

func TestVerbTails(t *testing.T) {
	t.Parallel()
	h := build(t, []route.Route{
		{Method: "GET", Pattern: "/models/{m}", Name: "Get", Handle: sayPath("m")},
		{Method: "POST", Pattern: "/models/{m}:run", Name: "Run", Handle: sayPath("m")},
		{Method: "POST", Pattern: "/models/{m}:stop", Name: "Stop", Handle: sayPath("m")},
		{Method: "GET", Pattern: "/models/{m}:status", Name: "Status", Handle: sayPath("m")},
		{Method: "GET", Pattern: "/deep/{rest...}", Name: "Deep", Handle: sayPath("rest")},
		{Method: "GET", Pattern: "/deep/{rest...}:count", Name: "Count", Handle: sayPath("rest")},
		{Method: "POST", Pattern: "/models:batch", Name: "Batch", Handle: say("batch")},
	})
	routetest.Run(t, h.mux, []routetest.Scenario{
		{Name: "plain", URL: "/models/a", Status: 200, WantBody: `Get "a"`},
		{Name: "verb", Method: "POST", URL: "/models/a:run", Status: 200, WantBody: `Run "a"`},
		{Name: "other verb", Method: "POST", URL: "/models/a:stop", Status: 200, WantBody: `Stop "a"`},
		{Name: "verb beside plain", URL: "/models/a:status", Status: 200, WantBody: `Status "a"`},
		{Name: "last colon", Method: "POST", URL: "/models/a:b:run", Status: 200, WantBody: `Run "a:b"`},
		{Name: "twice", Method: "POST", URL: "/models/a:run:run", Status: 200, WantBody: `Run "a:run"`},
		{Name: "tail that is not a verb belongs to the name", URL: "/models/a:b", Status: 200, WantBody: `Get "a:b"`},
		{Name: "tail that is not a verb and no plain", Method: "POST", URL: "/models/a:fly", Status: 405,
			WantHeader: map[string]string{"Allow": "GET, HEAD, OPTIONS"}},
		{Name: "plain with the verbs' method", Method: "POST", URL: "/models/a", Status: 405,
			WantHeader: map[string]string{"Allow": "GET, HEAD, OPTIONS"}},
		{Name: "wrong method for a verb", Method: "PUT", URL: "/models/a:run", Status: 405,
			WantHeader: map[string]string{"Allow": "GET, HEAD, OPTIONS, POST"}},
		{Name: "verb without a name", Method: "POST", URL: "/models/:run", Status: 405,
			WantHeader: map[string]string{"Allow": "GET, HEAD, OPTIONS"}},
		{Name: "empty tail", URL: "/models/a:", Status: 200, WantBody: `Get "a:"`},
		{Name: "encoded colon", Method: "POST", URL: "/models/a%3Arun", Status: 200, WantBody: `Run "a"`},
		{Name: "encoded slash in the name", Method: "POST", URL: "/models/a%2Fb:run", Status: 200, WantBody: `Run "a/b"`},
		{Name: "case matters", URL: "/models/a:STATUS", Status: 200, WantBody: `Get "a:STATUS"`},
		{Name: "rest", URL: "/deep/a/b", Status: 200, WantBody: `Deep "a/b"`},
		{Name: "rest with verb", URL: "/deep/a/b:count", Status: 200, WantBody: `Count "a/b"`},
		{Name: "colon in an inner segment", URL: "/deep/a:count/b", Status: 200, WantBody: `Deep "a:count/b"`},
		{Name: "rest verb without a name", URL: "/deep/a/:count", Status: 200, WantBody: `Deep "a/:count"`},
		{Name: "verb on a literal", Method: "POST", URL: "/models:batch", Status: 200, WantBody: "batch"},
		{Name: "options of a verb", Method: "OPTIONS", URL: "/models/a:status", Status: 204,
			WantHeader: map[string]string{"Allow": "GET, HEAD, OPTIONS"}},
	})
}

func TestTwoMuxesNeverMix(t *testing.T) {
	t.Parallel()
	one := build(t, table(), func(o *route.Options) { o.WriteError = envelope("one") })
	two := build(t, table(), func(o *route.Options) { o.WriteError = envelope("two") })
	for _, url := range []string{"/nowhere", "/things/1", "/tree", "//", "/open?%00"} {
		for word, h := range map[string]*testServer{"one": one, "two": two} {
			rec := do(h.mux, "GET", "http://stoa.test"+url)
			if want := `"envelope":"` + word + `"`; !strings.Contains(rec.Body.String(), want) {
				t.Errorf("%s: got %s, want %s", url, rec.Body, want)
			}
		}
	}
}

func TestMalformedTablePanics(t *testing.T) {
	t.Parallel()
	good := route.Route{Method: "GET", Pattern: "/a", Name: "A", Handle: say("")}
	alter := func(f func(*route.Route)) []route.Route {
		r := good
		f(&r)
		return []route.Route{r}
	}
	for name, routes := range map[string][]route.Route{
		"no handler":        alter(func(r *route.Route) { r.Handle = nil }),
		"no name":           alter(func(r *route.Route) { r.Name = "" }),
		"no slash":          alter(func(r *route.Route) { r.Pattern = "a" }),
		"lower-case method": alter(func(r *route.Route) { r.Method = "get" }),
		"scopes on open":    alter(func(r *route.Route) { r.Scopes = []string{"x"} }),
		"unknown access":    alter(func(r *route.Route) { r.Access = 7 }),
		"twice":             {good, good},
		"verb twice": {{Method: "GET", Pattern: "/{x}:v", Name: "A", Handle: say("")},
			{Method: "GET", Pattern: "/{x}:v", Name: "A", Handle: say("")}},
		"two wildcard names": {{Method: "GET", Pattern: "/{x}:v", Name: "A", Handle: say("")},
			{Method: "GET", Pattern: "/{y}:w", Name: "A", Handle: say("")}},
		"wildcard with prefix": alter(func(r *route.Route) { r.Pattern = "/a{x}" }),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			defer func() {
				if recover() == nil {
					t.Error("the table was accepted, want a panic")
				}
			}()
			// Rows that contradict each other are found by the first request.
			build(t, routes).mux.Match(httptest.NewRequest(http.MethodGet, "/a", nil))
		})
	}
	t.Run("required without authentication", func(t *testing.T) {
		t.Parallel()
		defer func() {
			if recover() == nil {
				t.Error("New accepted the table, want a panic")
			}
		}()
		build(t, alter(func(r *route.Route) { r.Access = route.Required }), func(o *route.Options) { o.Authenticate = nil })
	})
}

func TestBeforeRunsForFailuresToo(t *testing.T) {
	t.Parallel()
	refuse := errors.New("not over plain HTTP")
	h := build(t, table(), func(o *route.Options) {
		o.Before = func(w http.ResponseWriter, r *route.Request) error {
			w.Header().Set("X-Common", "yes")
			if r.Header.Get("X-Refuse") != "" {
				return refuse
			}
			return nil
		}
	})
	for _, url := range []string{"/open", "/nowhere", "/tree", "/things/1"} {
		if got := do(h.mux, "GET", url).Header().Get("X-Common"); got != "yes" {
			t.Errorf("%s: X-Common: got %q, want yes", url, got)
		}
	}
	if got := do(h.mux, "GET", "/open", "X-Refuse", "1").Code; got != 500 {
		t.Errorf("refused by Before: got %d, want 500", got)
	}
}

func TestGateHoldsUntilTheEnd(t *testing.T) {
	t.Parallel()
	held := 0
	h := build(t, []route.Route{
		{Method: "GET", Pattern: "/ok", Name: "Ok", Handle: func(w http.ResponseWriter, r *route.Request) error {
			if held != 1 {
				t.Errorf("gates held in the handler: got %d, want 1", held)
			}
			return nil
		}},
		{Method: "GET", Pattern: "/panic", Name: "Panic",
			Handle: func(http.ResponseWriter, *route.Request) error { panic("x") }},
		{Method: "GET", Pattern: "/full", Name: "Full", Handle: say("")},
	}, func(o *route.Options) {
		o.Gate = func(w http.ResponseWriter, r *route.Request) (func(), error) {
			w.Header().Set("X-Remaining", "0")
			if r.Route.Name == "Full" {
				return nil, &limit.Exceeded{Decision: limit.Decision{Name: "x", Limit: 1}}
			}
			held++
			return func() { held-- }, nil
		}
	})
	for url, want := range map[string]int{"/ok": 200, "/panic": 500, "/full": 429} {
		rec := do(h.mux, "GET", url)
		if rec.Code != want || rec.Header().Get("X-Remaining") != "0" || held != 0 {
			t.Errorf("%s: got status %d, header %q, %d held; want %d, 0, none", url, rec.Code, rec.Header().Get("X-Remaining"),
				held, want)
		}
	}
}

func TestRequestIDs(t *testing.T) {
	t.Parallel()
	h := build(t, table())
	for name, sent := range map[string]string{
		"none": "", "with a space": "a b", "with a line break": "a\nb", "too long": strings.Repeat("a", 65), "not ascii": "é",
	} {
		rec := do(h.mux, "GET", "/open", "X-Request-Id", sent)
		if got := rec.Header().Get("X-Request-Id"); len(got) != 32 || got == sent {
			t.Errorf("%s: got %q, want a fresh id", name, got)
		}
	}
	for _, sent := range []string{"a", "0af7651916cd43dd8448eb211c80319c", "A-b_c.9", strings.Repeat("a", 64)} {
		rec := do(h.mux, "GET", "/nowhere", "X-Request-Id", sent)
		if got := rec.Header().Get("X-Request-Id"); got != sent || !strings.Contains(rec.Body.String(), sent) {
			t.Errorf("got %q and body %s, want %q in both", got, rec.Body, sent)
		}
	}
}
