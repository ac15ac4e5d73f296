package events_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/route/routetest"
	"stoa.dev/stoa/internal/service/events"
)

func TestEnvelope(t *testing.T) {
	t.Parallel()
	h := open(t, "", events.DefaultConfig())
	var own []routetest.Case
	for name, err := range events.Errors() {
		own = append(own, routetest.Case{Name: name, Err: err})
	}
	routetest.Envelope(t, h.service.WriteError, own...)
}

// TestRoutes plays one success and one failure of every operation, in order.
func TestRoutes(t *testing.T) {
	c := events.DefaultConfig()
	c.Limits.CPU = time.Hour // of the machine that runs the test
	run(t, c, func(t *testing.T, h *testServer) {
		addOrg(t, h, "lyceum", "ada")
		h.User("grace")
		ada, bare := "Bearer "+h.Token("ada"), "Bearer "+h.Token("ada", events.ScopeEventsRead)
		grace := "token " + h.Token("grace")
		seen := routetest.Record(h.Module.Handler, h.Module.Routes)
		for _, scenarios := range [][]routetest.Scenario{
			repositoryScenarios(ada, bare, grace), feedScenarios(ada, grace), otherScenarios(ada, grace),
		} {
			for _, s := range scenarios {
				routetest.Play(t, seen, s)
			}
		}
		more := append(objectScenarios(t, h, ada), discussionScenarios(t, h, ada, grace)...)
		more = append(append(more, appScenarios(t, h, ada)...), oauthScenarios(t, h, ada)...)
		more = append(more, graphScenarios(ada, grace)...)
		for _, s := range append(more, hookScenarios(t, h, ada, grace)...) {
			routetest.Play(t, seen, s)
		}
		routetest.Coverage(t, h.Module.Routes, seen)
	})
}

func repositoryScenarios(ada, bare, grace string) []routetest.Scenario {
	return []routetest.Scenario{
		{
			Name: "create", Method: "POST", URL: "/user/repos", Caller: ada,
			Body: `{"name":"stoa","description":"d"}`, Status: 201, Contains: []string{`"full_name":"ada/stoa"`},
		},
		{
			Name: "create twice", Method: "POST", URL: "/user/repos", Caller: ada, Body: `{"name":"STOA"}`,
			Status: 422, Contains: []string{"already exists"},
		},
		{
			Name: "create without permission", Method: "POST", URL: "/user/repos", Caller: bare,
			Body: `{"name":"x"}`, Status: 403,
			WantHeader: map[string]string{"X-Accepted-Vendor-Permissions": "administration=write"},
		},
		{
			Name: "create a bad name", Method: "POST", URL: "/user/repos", Caller: ada, Body: `{"name":"../etc"}`,
			Status: 422,
		},
		{
			Name: "create a long description", Method: "POST", URL: "/user/repos", Caller: ada,
			Body: `{"name":"x","description":"` + strings.Repeat("é", 351) + `"}`, Status: 422,
			Contains: []string{`"field":"description"`},
		},
		{
			Name: "create a wrong kind", Method: "POST", URL: "/user/repos", Caller: ada, Body: `{"name":1}`,
			Status: 400, Contains: []string{"Problems parsing JSON: name must be a string"},
		},
		{
			Name: "create no name", Method: "POST", URL: "/user/repos", Caller: ada, Body: `{`, Status: 400,
			Contains: []string{"Problems parsing JSON"},
		},
		{
			Name: "create in an organization", Method: "POST", URL: "/orgs/lyceum/repos", Caller: ada,
			Body: `{"name":"hall","private":true}`, Status: 201,
		},
		{
			Name: "create in another's", Method: "POST", URL: "/orgs/lyceum/repos", Caller: grace,
			Body: `{"name":"hall"}`, Status: 404,
		},
		{Name: "read", URL: "/repos/ada/stoa", Status: 200, Contains: []string{`"private":false`}},
		{Name: "read hidden", URL: "/repos/lyceum/hall", Caller: grace, Status: 404},
		{Name: "read by number", URL: "/repositories/1", Status: 200},
		{Name: "read a number with a sign", URL: "/repositories/+1", Status: 404},
		{Name: "read a bad number", URL: "/repositories/x", Status: 404},
		{
			Name: "picture", URL: "/avatars/u/1", Status: 200, Contains: []string{"<svg"},
			WantHeader: map[string]string{"Content-Type": "image/svg+xml"},
		},
		{Name: "picture of an application", URL: "/avatars/u/0", Status: 200},
		{Name: "picture without a number", URL: "/avatars/u/x", Status: 404},
		{
			Name: "fork", Method: "POST", URL: "/repos/ada/stoa/forks", Caller: grace, Status: 202,
			Contains: []string{`"full_name":"grace/stoa"`, `"fork":true`},
		},
		{Name: "fork twice", Method: "POST", URL: "/repos/ada/stoa/forks", Caller: grace, Status: 422},
		{
			Name: "fork to another's organization", Method: "POST", URL: "/repos/ada/stoa/forks", Caller: grace,
			Body: `{"organization":"lyceum"}`, Status: 404,
		},
		{Name: "star", Method: "PUT", URL: "/user/starred/ada/stoa", Caller: grace, Status: 204},
		{Name: "star nothing", Method: "PUT", URL: "/user/starred/ada/none", Caller: grace, Status: 404},
		{Name: "unstar", Method: "DELETE", URL: "/user/starred/ada/stoa", Caller: grace, Status: 204},
		{
			Name: "unstar unknown", Method: "DELETE", URL: "/user/starred/ada/stoa", Status: 401,
			Contains: []string{"Requires authentication"},
		},
		{
			Name: "share", Method: "PUT", URL: "/repos/ada/stoa/collaborators/grace", Caller: ada,
			Body: `{"permission":"push"}`, Status: 204,
		},
		{
			Name: "share as another", Method: "PUT", URL: "/repos/ada/stoa/collaborators/ada", Caller: grace,
			Status: 403,
		},
		{
			Name: "share oddly", Method: "PUT", URL: "/repos/ada/stoa/collaborators/grace", Caller: ada,
			Body: `{"permission":"rule"}`, Status: 422,
		},
		{
			Name: "record", Method: "POST", URL: "/repos/ada/stoa/events", Caller: grace, Status: 201,
			Body: `{"type":"IssuesEvent","payload":{"action":"opened",` +
				`"issue":{"id":1,"number":1,"title":"t","user":{}}}}`,
			Contains: []string{`"type":"IssuesEvent"`},
		},
		{
			Name: "record nonsense", Method: "POST", URL: "/repos/ada/stoa/events", Caller: grace,
			Body: `{"type":"IssuesEvent","payload":{"action":"danced"}}`, Status: 422,
			Contains: []string{`"resource":"Event"`},
		},
		{
			Name: "record without permission", Method: "POST", URL: "/repos/ada/stoa/events", Caller: bare,
			Body: `{"type":"PublicEvent"}`, Status: 403,
		},
		{Name: "unshare", Method: "DELETE", URL: "/repos/ada/stoa/collaborators/grace", Caller: ada, Status: 204},
		{
			Name: "unshare an unknown user", Method: "DELETE", URL: "/repos/ada/stoa/collaborators/none", Caller: ada,
			Status: 404,
		},
		{
			Name: "rename", Method: "PATCH", URL: "/repos/ada/stoa", Caller: ada, Body: `{"name":"porch"}`,
			Status: 200, Contains: []string{`"name":"porch"`},
		},
		{
			Name: "rename as another", Method: "PATCH", URL: "/repos/ada/porch", Caller: grace,
			Body: `{"name":"mine"}`, Status: 403,
		},
		{
			Name: "rename the old name", Method: "PATCH", URL: "/repos/ada/stoa", Caller: ada, Body: `{"name":"x"}`,
			Status: 307, WantHeader: map[string]string{"Location": "http://stoa.test/repositories/1"},
		},
		{
			Name: "read the old name", URL: "/repos/ada/stoa", Status: 301,
			WantHeader: map[string]string{"Location": "http://stoa.test/repositories/1"},
		},
	}
}

func feedScenarios(ada, grace string) []routetest.Scenario {
	return []routetest.Scenario{
		{
			Name: "public", URL: "/events", Status: 200,
			Contains: []string{"WatchEvent", "ForkEvent", "MemberEvent", "CreateEvent"},
		},
		{Name: "public far too far", URL: "/events?page=99999999999999999999", Status: 422},
		{Name: "public, as many as there can be", URL: "/events?per_page=99999999999999999999&page=4", Status: 422},
		{Name: "public, no number", URL: "/events?per_page=x&page=-1", Status: 200},
		{Name: "public too far", URL: "/events?page=11", Status: 422, Contains: []string{"pagination is limited"}},
		{Name: "network", URL: "/networks/ada/porch/events", Status: 200},
		{Name: "network nowhere", URL: "/networks/ada/none/events", Status: 404},
		{Name: "organization", URL: "/orgs/lyceum/events", Status: 200, WantBody: "[]"},
		{Name: "organization nowhere", URL: "/orgs/none/events", Status: 404},
		{Name: "repository", URL: "/repos/ada/porch/events", Status: 200},
		{Name: "repository elsewhere", URL: "/repos/ada/stoa/events", Status: 301},
		{Name: "repository by number", URL: "/repositories/1/events", Status: 200},
		{Name: "repository by no number", URL: "/repositories/99/events", Status: 404},
		{Name: "user", URL: "/users/ada/events", Caller: ada, Status: 200, Contains: []string{"lyceum/hall"}},
		{
			Name: "user as another", URL: "/users/ada/events", Caller: grace, Status: 200,
			NotContains: []string{"lyceum/hall"},
		},
		{Name: "unknown user", URL: "/users/none/events", Status: 200},
		{
			Name: "dashboard", URL: "/users/ada/events/orgs/lyceum", Caller: ada, Status: 200,
			Contains: []string{"lyceum/hall"},
		},
		{Name: "dashboard of another", URL: "/users/ada/events/orgs/lyceum", Caller: grace, Status: 404},
		{
			Name: "user public", URL: "/users/ada/events/public", Caller: ada, Status: 200,
			NotContains: []string{"lyceum/hall"},
		},
		{Name: "unknown user public", URL: "/users/none/events/public", Status: 200},
		{
			Name: "received", URL: "/users/ada/received_events", Caller: ada, Status: 200,
			Contains: []string{"IssuesEvent"},
		},
		{Name: "received by an unknown user", URL: "/users/none/received_events", Status: 200},
		{Name: "received public", URL: "/users/ada/received_events/public", Status: 200},
		{Name: "received public by an unknown user", URL: "/users/none/received_events/public", Status: 200},
		{
			Name: "user in another version", URL: "/users/ada/events",
			Header: map[string]string{"X-Vendor-Api-Version": "x"}, Status: 400,
		},
		{
			Name: "user public in another version", URL: "/users/ada/events/public",
			Header: map[string]string{"X-Vendor-Api-Version": "x"}, Status: 400,
		},
		{
			Name: "received in another version", URL: "/users/ada/received_events",
			Header: map[string]string{"X-Vendor-Api-Version": "x"}, Status: 400,
		},
		{
			Name: "received public in another version", URL: "/users/ada/received_events/public",
			Header: map[string]string{"X-Vendor-Api-Version": "x"}, Status: 400,
		},
	}
}

func otherScenarios(ada, grace string) []routetest.Scenario {
	return []routetest.Scenario{
		{Name: "limits", URL: "/rate_limit", Status: 200},
		{
			Name: "limits with a bad token", URL: "/rate_limit", Caller: "Bearer no", Status: 401,
			Contains: []string{"Bad credentials"},
		},
		{Name: "versions", URL: "/versions", Status: 200},
		{
			Name: "versions in another version", URL: "/versions",
			Header: map[string]string{"X-Vendor-Api-Version": "x"}, Status: 400,
		},
		{Name: "no such path", URL: "/users/ada/hats", Status: 404},
		{Name: "wrong method", Method: "DELETE", URL: "/events", Status: 404},
		{Name: "delete as another", Method: "DELETE", URL: "/repos/ada/porch", Caller: grace, Status: 403},
		{Name: "delete", Method: "DELETE", URL: "/repos/ada/porch", Caller: ada, Status: 204},
		{Name: "gone", URL: "/repos/ada/porch/events", Status: 404},
		{Name: "the fork stays", URL: "/networks/grace/stoa/events", Status: 200},
	}
}

// TestCredentials tries the ways in which a caller can authenticate.
func TestCredentials(t *testing.T) {
	t.Parallel()
	h := open(t, "", events.DefaultConfig())
	token := h.Token("ada")
	basic := func(user, password string) string {
		return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
	}
	for value, want := range map[string]string{
		"Bearer " + token: "5000", "token " + token: "5000", "TOKEN " + token: "5000",
		basic("ada", token): "5000", basic(token, ""): "5000", basic(token, "x-oauth-basic"): "5000",
		"Bearer": "", "Bearer a b": "", "Digest x": "", "Basic !": "", basic("ada", "no"): "", basic("", ""): "",
	} {
		w := h.Call(http.MethodGet, "/events", "", "Authorization: "+value)
		scheme, _, _ := strings.Cut(value, " ")
		switch {
		case want == "" && w.Code != http.StatusUnauthorized:
			t.Errorf("%s: got %d, want 401", scheme, w.Code)
		case want != "" && (w.Code != http.StatusOK || w.Header().Get("X-Ratelimit-Limit") != want):
			t.Errorf("%s: got %d with limit %s, want 200 and %s", scheme, w.Code, w.Header().Get("X-Ratelimit-Limit"),
				want)
		}
	}
	if log := h.Log.String(); strings.Contains(log, token) {
		t.Errorf("the log holds the token:\n%s", log)
	}
}

// TestCompression checks that both forms of a page have strong tags that are
// not taken for each other.
func TestCompression(t *testing.T) {
	t.Parallel()
	h := open(t, "", generous())
	r := h.repo(t, "ada", "busy", false)
	for range 30 {
		h.star(t, r, h.actor("ada"))
	}
	plain := h.get("/events", "")
	compressed := h.get("/events", "", "Accept-Encoding: gzip")
	if compressed.Header().Get("Content-Encoding") != "gzip" || compressed.Body.Len() >= plain.Body.Len() {
		t.Fatalf("compressed: %v, %d bytes of %d", compressed.Header(), compressed.Body.Len(), plain.Body.Len())
	}
	one, two := plain.Header().Get("Etag"), compressed.Header().Get("Etag")
	if one == two || !strings.HasPrefix(one, `"`) || !strings.HasPrefix(two, `"`) {
		t.Errorf("tags %s and %s, want two strong ones", one, two)
	}
	if w := h.get("/events", "", "Accept-Encoding: gzip", "If-None-Match: "+two); w.Code != http.StatusNotModified {
		t.Errorf("got %d, want 304", w.Code)
	}
	if w := h.get("/events", "", "If-None-Match: "+one); w.Code != http.StatusNotModified {
		t.Errorf("got %d, want 304", w.Code)
	}
}
