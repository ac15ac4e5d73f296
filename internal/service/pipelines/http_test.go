package pipelines_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/routetest"
	"stoa.dev/stoa/internal/service/pipelines"
)

func TestEnvelope(t *testing.T) {
	t.Parallel()
	h := open(t, "", pipelines.DefaultConfig(), newGates())
	var own []routetest.Case
	for name, err := range pipelines.Errors() {
		own = append(own, routetest.Case{Name: name, Err: err})
	}
	routetest.Envelope(t, h.service.WriteError, own...)
}

const hostKey = `-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
-----END PRIVATE KEY-----
`

// TestRoutes plays a success and a failure of every operation, in order.
func TestRoutes(t *testing.T) {
	run(t, pipelines.DefaultConfig(), nil, func(t *testing.T, h *testServer) {
		r := h.repo(t, "ada", "stoa", false)
		h.repo(t, "ada", "hidden", true)
		h.push(t, r, "main", config(false, "build"), "one")
		h.until(t, r, 1, "success")
		ada, grace := "Bearer "+h.Token("ada"), "Bearer "+h.Token("grace")
		project := "Bearer " + h.Issue(identity.IssueOptions{
			Kind: identity.KindProject, Services: []string{"pipelines"}, Scopes: []string{"all"},
			UserID: h.User("ada").ID, Repo: "ada/stoa",
		})
		body := func(v any) string {
			text, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
		const b = "/api/v1.1"
		const p = b + "/project/vcs_a/ada/stoa"
		const private = b + "/project/vcs_a/ada/hidden"
		accept := map[string]string{"Accept": "application/json"}
		seen := routetest.Record(h.Module.Handler, h.Module.Routes)
		for _, s := range []routetest.Scenario{
			{Name: "me", URL: b + "/me", Caller: ada, Status: 200, Contains: []string{`"login":"ada"`,
				`"basic_email_prefs":"smart"`}},
			{Name: "me as a project", URL: b + "/me", Caller: project, Status: 403,
				Contains: []string{"personal token"}},
			{Name: "projects", URL: b + "/projects", Caller: ada, Status: 200,
				Contains: []string{`"branches":{"main":{"pusher_logins":["ada"]`}},
			{Name: "projects without a token", URL: b + "/projects", Status: 401},
			{Name: "recent", URL: b + "/recent-builds", Caller: ada, Status: 200, Contains: []string{`"build_num":1`}},
			{Name: "recent as a project", URL: b + "/recent-builds", Caller: project, Status: 200,
				Contains: []string{`"build_num":1`}},
			{Name: "recent with a bad limit", URL: b + "/recent-builds?limit=-1", Caller: ada, Status: 400},
			{Name: "builds", URL: p, Status: 200, Contains: []string{`"status":"success"`},
				NotContains: []string{"pipeline_yml"}},
			{Name: "builds with a bad filter", URL: p + "?filter=odd", Status: 400},
			{Name: "builds of a hidden project", URL: private, Caller: grace, Status: 404,
				WantBody: `{"message":"Project not found"}`},
			{Name: "builds of nothing", URL: b + "/project/vcs_c/ada/stoa", Caller: ada, Status: 404},
			{Name: "branch", URL: p + "/tree/main?shallow=true", Status: 200, Contains: []string{`"build_num":1`},
				NotContains: []string{"author_name"}},
			{Name: "no branch", URL: p + "/tree/", Status: 404},
			{Name: "build", URL: p + "/1", Status: 200, Contains: []string{`"pipeline_yml":{"string":"version`,
				`"steps":[{"name":"Spin up environment"`}},
			{Name: "no build", URL: p + "/99", Status: 404, WantBody: `{"message":"Build not found"}`},
			{Name: "artifacts", URL: p + "/1/artifacts", Status: 200, WantBody: "[]"},
			{Name: "artifacts of nothing", URL: p + "/x/artifacts", Status: 404},
			{Name: "trigger", Method: "POST", URL: p, Caller: ada, Body: `{"build_parameters":{"A":1}}`, Status: 201,
				Contains: []string{`"build_parameters":{"A":"1"}`, `"why":"api"`}},
			{Name: "trigger without a right", Method: "POST", URL: p, Caller: grace, Status: 403},
			{Name: "trigger oddly", Method: "POST", URL: p, Caller: ada, Body: `{"parallel":"many"}`, Status: 400},
			{Name: "trigger a build", Method: "POST", URL: p + "/build", Caller: ada, Body: `{"branch":"main"}`,
				Status: 200, WantBody: `{"status":200,"body":"Build created"}`},
			{Name: "trigger a build as a project", Method: "POST", URL: p + "/build", Caller: project, Status: 403},
			{Name: "trigger a branch", Method: "POST", URL: p + "/tree/main", Caller: project, Body: `{}`, Status: 201},
			{Name: "trigger no branch", Method: "POST", URL: p + "/tree/none", Caller: ada, Status: 404,
				WantBody: `{"message":"Branch not found"}`},
			{Name: "retry", Method: "POST", URL: p + "/1/retry", Caller: ada, Status: 200,
				Contains: []string{`"retry_of":1`}},
			{Name: "retry nothing", Method: "POST", URL: p + "/99/retry", Caller: ada, Status: 404},
			{Name: "ssh users", Method: "POST", URL: p + "/1/ssh-users", Caller: ada, Status: 200},
			{Name: "odd action", Method: "POST", URL: p + "/1/dance", Caller: ada, Status: 404},
			{Name: "follow", Method: "POST", URL: p + "/follow", Caller: grace, Status: 200,
				Contains: []string{`"followed":true`, `"first_build":null`}},
			{Name: "follow as a project", Method: "POST", URL: p + "/follow", Caller: project, Status: 403},
			{Name: "followers", URL: p + "/users", Caller: ada, Status: 200, Contains: []string{`"login":"grace"`}},
			{Name: "followers of a hidden project", URL: private + "/users", Caller: grace, Status: 404},
			{Name: "unfollow", Method: "POST", URL: p + "/unfollow", Caller: grace, Status: 200,
				Contains: []string{`"followed":false`}},
			{Name: "unfollow without a token", Method: "POST", URL: p + "/unfollow", Status: 401},
			{Name: "enable", Method: "POST", URL: p + "/enable", Caller: ada, Status: 200,
				Contains: []string{`"has_usable_key":true`}},
			{Name: "enable without a right", Method: "POST", URL: p + "/enable", Caller: grace, Status: 403},
			{Name: "disable", Method: "DELETE", URL: p + "/enable", Caller: ada, Status: 200,
				Contains: []string{`"enabled":false`}},
			{Name: "disable without a right", Method: "DELETE", URL: p + "/enable", Caller: grace, Status: 403},
			{Name: "checkout key", Method: "POST", URL: p + "/checkout-key", Caller: ada,
				Body: `{"type":"deploy-key"}`, Status: 201, Contains: []string{"ssh-ed25519", `"preferred":true`}},
			{Name: "odd checkout key", Method: "POST", URL: p + "/checkout-key", Caller: ada,
				Body: `{"type":"skeleton"}`, Status: 400},
			{Name: "checkout key as a project", Method: "POST", URL: p + "/checkout-key", Caller: project, Status: 403},
			{Name: "checkout keys", URL: p + "/checkout-key?digest=sha256", Caller: ada, Status: 200},
			{Name: "checkout keys oddly", URL: p + "/checkout-key?digest=crc", Caller: ada, Status: 400},
			{Name: "ssh key", Method: "POST", URL: p + "/ssh-key", Caller: ada,
				Body: body(map[string]string{"hostname": "example.com", "private_key": hostKey}), Status: 201,
				Contains: []string{"ssh-ed25519"}, NotContains: []string{"PRIVATE"}},
			{Name: "no ssh key", Method: "POST", URL: p + "/ssh-key", Caller: ada,
				Body: `{"hostname":"h","private_key":"x"}`, Status: 400},
			{Name: "settings", URL: p + "/settings", Caller: ada, Status: 200,
				Contains: []string{`"hostname":"example.com"`, `"autocancel-builds":true`}},
			{Name: "settings without a right", URL: p + "/settings", Caller: grace, Status: 403},
			{Name: "delete ssh key", Method: "DELETE", URL: p + "/ssh-key", Caller: ada,
				Body: `{"hostname":"example.com"}`, Status: 200},
			{Name: "delete no ssh key", Method: "DELETE", URL: p + "/ssh-key", Caller: ada,
				Body: `{"hostname":"example.com"}`, Status: 404},
			{Name: "variable", Method: "POST", URL: p + "/envvar", Caller: ada,
				Body: `{"name":"SECRET","value":"correct horse"}`, Status: 201,
				WantBody: `{"name":"SECRET","value":"xxxxorse"}`},
			{Name: "odd variable", Method: "POST", URL: p + "/envvar", Caller: ada, Body: `{"name":"1 2","value":""}`,
				Status: 400},
			{Name: "variables", URL: p + "/envvar", Caller: ada, Status: 200,
				WantBody: `[{"name":"SECRET","value":"xxxxorse"}]`},
			{Name: "variables without a right", URL: p + "/envvar", Caller: grace, Status: 403},
			{Name: "one variable", URL: p + "/envvar/SECRET", Caller: ada, Status: 200},
			{Name: "no variable", URL: p + "/envvar/NONE", Caller: ada, Status: 404},
			{Name: "replace", Method: "PUT", URL: p + "/envvar/SECRET", Caller: ada, Body: `{"value":"short"}`,
				Status: 200, WantBody: `{"name":"SECRET","value":"xxxx"}`},
			{Name: "replace with nothing", Method: "PUT", URL: p + "/envvar/SECRET", Caller: ada, Body: `{}`,
				Status: 400},
			{Name: "delete variable", Method: "DELETE", URL: p + "/envvar/SECRET", Caller: ada, Status: 200,
				WantBody: `{"message":"ok"}`},
			{Name: "delete no variable", Method: "DELETE", URL: p + "/envvar/SECRET", Caller: ada, Status: 404},
			{Name: "change settings", Method: "PUT", URL: p + "/settings", Caller: ada,
				Body: `{"feature_flags":{"oss":false},"webhooks":[{"url":"https://hooks.example.com/a","secret":"s"}],"slack_channel":"#stoa"}`, Status: 200, Contains: []string{`"oss":false`, `"has_secret":true`, `"slack_channel":"#stoa"`}},
			{Name: "change an odd flag", Method: "PUT", URL: p + "/settings", Caller: ada,
				Body: `{"feature_flags":{"fly":true}}`, Status: 400},
			{Name: "closed without a token", URL: p, Status: 401},
			{Name: "test hook", Method: "POST", URL: p + "/hooks/webhook/test", Caller: ada, Status: 200,
				WantBody: `{"message":"1 sent"}`},
			{Name: "test hook without a right", Method: "POST", URL: p + "/hooks/webhook/test", Caller: grace,
				Status: 403},
			{Name: "open again", Method: "PUT", URL: p + "/settings", Caller: ada,
				Body: `{"feature_flags":{"oss":true}}`, Status: 200},
			{Name: "token", Method: "POST", URL: p + "/token", Caller: ada, Body: `{"label":"badge","scope":"status"}`,
				Status: 201, Contains: []string{`"scope":"status"`}},
			{Name: "two lines", Method: "POST", URL: p + "/token", Caller: ada,
				Body: `{"label":"badge\nof two lines","scope":"status"}`, Status: 400, Contains: []string{"control characters"}},
			{Name: "odd token", Method: "POST", URL: p + "/token", Caller: ada,
				Body: `{"label":"badge","scope":"rule"}`, Status: 400},
			{Name: "tokens", URL: p + "/token", Caller: ada, Status: 200,
				Contains: []string{`"label":"badge"`, `"token":"xxxx`}},
			{Name: "tokens as a project", URL: p + "/token", Caller: project, Status: 403},
			{Name: "delete no token", Method: "DELETE", URL: p + "/token/999", Caller: ada, Status: 404},
			{Name: "caches", Method: "DELETE", URL: p + "/build-cache", Caller: ada, Status: 200,
				WantBody: `{"status":"build caches deleted"}`},
			{Name: "caches without a right", Method: "DELETE", URL: p + "/build-cache", Caller: grace, Status: 403},
			{Name: "status", URL: p + "/status", Status: 200, Contains: []string{`"status":"success"`}},
			{Name: "status of a hidden project", URL: private + "/status", Caller: grace, Status: 404},
			{Name: "repos", URL: b + "/user/repos", Caller: ada, Status: 200, Contains: []string{`"name":"hidden"`}},
			{Name: "repos as a project", URL: b + "/user/repos", Caller: project, Status: 403},
			{Name: "follow many", Method: "POST", URL: b + "/user/follow-projects", Caller: grace,
				Body: `{"vcs-urls":["http://stoa.test/git/ada/stoa"]}`, Status: 200},
			{Name: "follow hidden", Method: "POST", URL: b + "/user/follow-projects", Caller: grace,
				Body: `{"vcs-urls":["http://stoa.test/git/ada/hidden"]}`, Status: 404},
			{Name: "preferences", Method: "PUT", URL: b + "/user/save-preferences", Caller: ada,
				Body: `{"basic_email_prefs":"none"}`, Status: 200, Contains: []string{`"basic_email_prefs":"none"`}},
			{Name: "odd preferences", Method: "PUT", URL: b + "/user/save-preferences", Caller: ada,
				Body: `{"basic_email_prefs":"some"}`, Status: 400},
			{Name: "retired", Method: "POST", URL: b + "/user/heroku-key", Caller: ada, Body: `{"apikey":"x"}`,
				Status: 410},
			{Name: "no such place", URL: b + "/hats", Caller: ada, Status: 404, WantBody: `{"message":"Not found"}`},
			{Name: "wrong method", Method: "PUT", URL: p, Caller: ada, Status: 405},
		} {
			s.Header = accept
			routetest.Play(t, seen, s)
		}
		playKeys(t, h, seen, ada, p)
		// What was retired has no success.
		living := slices.DeleteFunc(slices.Clone(h.Module.Routes),
			func(r route.Route) bool { return r.Name == "retired_key" })
		routetest.Coverage(t, living, seen)
	})
}

// playKeys uses what the answers before it made up.
func playKeys(t *testing.T, h *testServer, seen http.Handler, ada, p string) {
	t.Helper()
	accept := map[string]string{"Accept": "application/json"}
	w := routetest.Play(t, seen, routetest.Scenario{Name: "keys", URL: p + "/checkout-key?digest=sha256", Caller: ada,
		Header: accept, Status: 200})
	var keys []struct{ Fingerprint string }
	if err := json.Unmarshal(w.Body.Bytes(), &keys); err != nil || len(keys) == 0 {
		t.Fatalf("%s: %v", w.Body, err)
	}
	one := p + "/checkout-key/" + strings.ReplaceAll(strings.ReplaceAll(keys[0].Fingerprint, "/", "%2F"), "+", "%2B")
	w = routetest.Play(t, seen, routetest.Scenario{Name: "tokens again", URL: p + "/token", Caller: ada,
		Header: accept, Status: 200})
	var tokens []struct{ ID int64 }
	if err := json.Unmarshal(w.Body.Bytes(), &tokens); err != nil || len(tokens) == 0 {
		t.Fatalf("%s: %v", w.Body, err)
	}
	for _, s := range []routetest.Scenario{
		{Name: "key", URL: one, Caller: ada, Status: 200, Contains: []string{"ssh-ed25519"}},
		{Name: "delete key", Method: "DELETE", URL: one, Caller: ada, Status: 200},
		{Name: "no key", URL: one, Caller: ada, Status: 404},
		{Name: "delete no key", Method: "DELETE", URL: one, Caller: ada, Status: 404},
		{Name: "delete token", Method: "DELETE", URL: fmt.Sprintf("%s/token/%d", p, tokens[0].ID), Caller: ada,
			Status: 200},
	} {
		s.Header = accept
		routetest.Play(t, seen, s)
	}
}

// TestForms asks for the same in all encodings.
func TestForms(t *testing.T) {
	t.Parallel()
	h := open(t, "", pipelines.DefaultConfig(), newGates())
	token := h.Token("ada")
	for _, tc := range []struct{ name, accept, begins, media string }{
		{"absent", "-", `{:login "ada", :basic_email_prefs "smart", `, "application/edn"},
		{"empty", "", `{:login "ada"`, "application/edn"},
		{"compact", "application/json", `{"login":"ada","basic_email_prefs":"smart",`, "application/json"},
		{"any", "*/*", "{\n  \"login\" : \"ada\",\n", "application/json"},
		{"text", "text/plain", "{\n  \"login\" : \"ada\",\n", "application/json"},
	} {
		for _, target := range []struct {
			path   string
			status int
		}{{"/api/v1.1/me", 200}, {"/api/v1.1/project/vcs_a/ada/none", 404}} {
			var header []string
			if tc.accept != "-" {
				header = []string{"Accept: " + tc.accept}
			}
			w := h.Call("GET", target.path, "", append(header, "Pipeline-Token: "+token)...)
			begins := tc.begins
			if target.status == 404 {
				begins = strings.Split(strings.ReplaceAll(strings.ReplaceAll(begins, "login", "message"), "ada",
					"Project not found"), `",`)[0]
			}
			if w.Code != target.status || !strings.HasPrefix(w.Body.String(), begins) ||
				!strings.HasPrefix(w.Header().Get("Content-Type"), tc.media) {
				t.Errorf("%s %s: got %d %s %s, want %s", tc.name, target.path, w.Code, w.Header().Get("Content-Type"),
					w.Body, begins)
			}
		}
	}
}

// TestCredentials checks the four ways in which a token is sent.
func TestCredentials(t *testing.T) {
	t.Parallel()
	h := open(t, "", pipelines.DefaultConfig(), newGates())
	token := h.Token("ada")
	basic := func(user, password string) string {
		return "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
	}
	for _, tc := range []struct {
		name, query, header string
		want                int
	}{
		{"header", "", "Pipeline-Token: " + token, 200},
		{"bearer", "", "Authorization: Bearer " + token, 200},
		{"basic", "", basic(token, ""), 200},
		{"query", "?pipeline-token=" + token, "", 200},
		{"none", "", "", 401},
		{"wrong", "", "Pipeline-Token: nope", 401},
		{"basic with a password", "", basic(token, "x"), 401},
		{"brand header", "", "Circle-Token: " + token, 401},
		{"brand query", "?circle-token=" + token, "", 401},
	} {
		var header []string
		if tc.header != "" {
			header = []string{tc.header}
		}
		if w := h.Call("GET", "/api/v1.1/me"+tc.query, "", header...); w.Code != tc.want {
			t.Errorf("%s: got %d %s, want %d", tc.name, w.Code, w.Body, tc.want)
		}
	}
	if log := h.Log.String(); strings.Contains(log, token) {
		t.Errorf("the log holds the token:\n%s", log)
	}
}

// TestLimits meets both budgets.
func TestLimits(t *testing.T) {
	c := pipelines.DefaultConfig()
	c.Requests = pipelines.Requests{Burst: 5, BurstPer: 10 * time.Second, Sustained: 12, SustainedPer: time.Hour}
	run(t, c, nil, func(t *testing.T, h *testServer) {
		token := h.Token("ada")
		ask := func() int { return h.send("GET", "/api/v1.1/me", "", token).Code }
		for i := range 5 {
			if got := ask(); got != 200 {
				t.Fatalf("request %d: %d", i, got)
			}
		}
		w := h.send("GET", "/api/v1.1/me", "", token)
		if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != "10" ||
			!strings.Contains(w.Body.String(), `{"message":"Rate limited`) {
			t.Fatalf("burst: %d %v %s", w.Code, w.Header(), w.Body)
		}
		var codes []int
		for range 8 {
			h.Clock.Advance(11 * time.Second)
			codes = append(codes, ask())
		}
		if slices.Index(codes, http.StatusTooManyRequests) != 7 {
			t.Errorf("steady: %v, want 7 admitted and then 429", codes)
		}
	})
}

// TestPages looks at what browsers get.
func TestPages(t *testing.T) {
	run(t, pipelines.DefaultConfig(), nil, func(t *testing.T, h *testServer) {
		r := h.repo(t, "ada", "stoa", false)
		h.repo(t, "ada", "hidden", true)
		h.push(t, r, "main", config(false, "keeper"), "a <b>change</b>")
		h.until(t, r, 1, "success")
		seen := routetest.Record(h.service.Pages(), h.service.PageRoutes())
		for _, s := range []routetest.Scenario{
			{Name: "job", URL: "/vcs_a/ada/stoa/1", Status: 200, Contains: []string{"hello from keeper",
				"out/report.txt", "1 passed", "a &lt;b&gt;change"}, NotContains: []string{"<b>change"}},
			{Name: "no job", URL: "/vcs_a/ada/stoa/7", Status: 404, Contains: []string{"Build not found"}},
			{Name: "project", URL: "/vcs_a/ada/stoa", Status: 200, Contains: []string{"#1 keeper"}},
			{Name: "hidden project", URL: "/vcs_a/ada/hidden", Status: 401, Contains: []string{"Sign in"}},
			{Name: "branch", URL: "/vcs_b/ada/stoa/tree/main", Status: 200, Contains: []string{"#1 keeper"}},
			{Name: "hidden branch", URL: "/vcs_a/ada/hidden/tree/main", Status: 401},
			{Name: "badge", URL: "/vcs_a/ada/stoa.svg", Status: 200, Contains: []string{"passing"},
				WantHeader: map[string]string{"Content-Type": "image/svg+xml; charset=utf-8",
					"Cache-Control": "private, no-cache"}},
			{Name: "branch badge", URL: "/vcs_a/ada/stoa/tree/main.svg?style=shield", Status: 200,
				Contains: []string{"passing"}},
			{Name: "hidden badge", URL: "/vcs_a/ada/hidden.svg", Status: 401},
			{Name: "project feed", URL: "/vcs_a/ada/stoa.cc.xml", Status: 200,
				Contains: []string{`lastBuildStatus="Success"`}},
			{Name: "feed", URL: "/cc.xml?pipeline-token=" + h.Token("ada"), Status: 200,
				Contains: []string{`name="ada/stoa"`}, WantHeader: map[string]string{"Cache-Control": "private, no-cache"}},
			{Name: "feed without a token", URL: "/cc.xml", Status: 401},
			{Name: "events", URL: "/vcs_a/ada/stoa/1/events", Status: 200,
				Contains: []string{"event: output", "hello from keeper", `"ended":true`}},
			{Name: "log", URL: "/vcs_a/ada/stoa/1/log", Status: 200, Contains: []string{"hello from keeper"}},
			{Name: "artifact", URL: "/vcs_a/ada/stoa/1/artifacts/0/out/report.txt", Status: 200, WantBody: "kept!"},
			{Name: "no part", URL: "/vcs_a/ada/stoa/1/nothing", Status: 404},
			{Name: "style", URL: "/vcs_a/-/pipelines.css", Status: 200},
			{Name: "no style", URL: "/vcs_a/-/nothing.css", Status: 404},
			{Name: "projects without a token", URL: "/vcs_a", Status: 401},
		} {
			routetest.Play(t, seen, s)
		}
	})
}
