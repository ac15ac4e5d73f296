package conformance_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/test/conformance"
)

// answered is a server whose operations outside the contract's rows are called
// once, so that their answers are known to the descriptions as well.
type answered struct {
	*conformance.Server
	token, host string
}

// TestAnswers calls what the rows do not.
func TestAnswers(t *testing.T) {
	t.Parallel()
	conformance.On(t, allAnswers)
}

func allAnswers(t *testing.T, open func(*testing.T, conformance.Options) *conformance.Server) {
	t.Helper()
	t.Run("kms", func(t *testing.T) { pluginAnswers(t, openPlugin(t, open, nil)) })
	t.Run("tasks", func(t *testing.T) { taskAnswers(t, taskServer{Server: open(t, conformance.Options{})}) })
	t.Run("labels", func(t *testing.T) { labelAnswers(t, open(t, conformance.Options{})) })
	t.Run("device", func(t *testing.T) { deviceAnswers(t, open(t, conformance.Options{Configure: longCodes})) })
	t.Run("analytics", func(t *testing.T) { analyticsAnswers(t, openAnalytics(t, open, nil)) })
	t.Run("apikeys", func(t *testing.T) { keyAnswers(t, open(t, conformance.Options{})) })
	t.Run("articles", func(t *testing.T) { articleAnswers(t, open(t, conformance.Options{})) })
	t.Run("pipelines", func(t *testing.T) { pipelineAnswers(t, openPipelines(t, open, noJobs)) })
	t.Run("calendar", func(t *testing.T) { calendarAnswers(t, open(t, conformance.Options{})) })
	t.Run("events", func(t *testing.T) { eventAnswers(t, open(t, conformance.Options{})) })
	t.Run("packages", func(t *testing.T) { packageAnswers(t, &packagesRows{h: packagesServer(t, open)}) })
	t.Run("generate", func(t *testing.T) { modelAnswers(t, open(t, conformance.Options{})) })
	t.Run("snapshots", func(t *testing.T) { graphAnswers(t, openGraphs(t, open, nil)) })
}

// do calls and wants a success.
func (a answered) do(t *testing.T, method, path, body string, status int) *conformance.Answer {
	t.Helper()
	return a.Do(t, conformance.Call{Method: method, Host: a.host, Path: path, Bearer: a.token, Body: body}).Want(t, status)
}

func articleAnswers(t *testing.T, h *conformance.Server) {
	h.User(t, "ada")
	h.User(t, "grace")
	h.Command(t, "team add", map[string][]string{"name": {"lyceum"}, "owner": {"ada"}, "member": {"grace"}})
	public := answered{h, h.Token(t, "ada", "articles"), ""}
	grace := answered{h, h.Token(t, "grace", "articles"), ""}
	team := answered{h, public.token, lyceum}
	const base, body = "/api/v2/", `{"title":"t","body":"text","tags":[{"name":"go","versions":[]}]}`
	id := conformance.Text(t, public.do(t, "POST", base+"items", body, 201).Object(t), "id")
	item := base + "items/" + id
	for _, mark := range []string{"like", "stock"} {
		grace.do(t, "PUT", item+"/"+mark, "", 204)
		grace.do(t, "GET", item+"/"+mark, "", 204)
	}
	public.do(t, "GET", item+"/stockers", "", 200)
	public.do(t, "GET", base+"users", "", 200)
	public.do(t, "GET", base+"schema", "", 200)
	public.do(t, "GET", base+"posting-campaigns", "", 200)
	public.do(t, "PUT", base+"users/grace/following", "", 204)
	public.do(t, "GET", base+"users/grace/following", "", 204)
	public.do(t, "GET", base+"users/ada/followees", "", 200)
	public.do(t, "GET", base+"users/grace/followers", "", 200)
	public.do(t, "DELETE", base+"users/grace/following", "", 204)

	id = conformance.Text(t, team.do(t, "POST", base+"items", body, 201).Object(t), "id")
	item = base + "items/" + id
	comment := base + "comments/" + conformance.Text(t, team.do(t, "POST", item+"/comments", `{"body":"well"}`, 201).Object(t), "id")
	for _, on := range []string{item, comment} {
		team.do(t, "POST", on+"/reactions", `{"name":"thumbsup"}`, 201)
		team.do(t, "GET", on+"/reactions", "", 200)
		team.do(t, "DELETE", on+"/reactions/thumbsup", "", 204)
	}
	team.do(t, "POST", base+"groups", `{"name":"Authors","url_name":"authors","private":false,"description":"all"}`, 201)
	team.do(t, "GET", base+"groups", "", 200)
	group := base + "groups/authors"
	team.do(t, "GET", group, "", 200)
	team.do(t, "PATCH", group, `{"name":"Writers"}`, 200)
	team.do(t, "POST", group+"/members", `{"identities":["grace"]}`, 201)
	team.do(t, "GET", group+"/members", "", 200)
	team.do(t, "GET", group+"/members/grace", "", 200)
	team.do(t, "DELETE", group+"/members", `{"identities":["grace"]}`, 204)
	team.do(t, "DELETE", group, "", 204)
	template := `{"name":"n","title":"%{Year}","body":"b","tags":[{"name":"go","versions":[]}]}`
	made := team.do(t, "POST", base+"templates", template, 201).Object(t)
	team.do(t, "PATCH", base+"templates/"+fmt.Sprint(made["id"]), template, 200)
	team.do(t, "POST", base+"expanded_templates", template, 201)
}

func pipelineAnswers(t *testing.T, h *pipelineServer) {
	a := answered{h.Server, h.ada, ""}
	const base, p = "/api/v1.1", stoaProject
	do := func(method, path, body string, status int) *conformance.Answer {
		t.Helper()
		return a.Do(t, conformance.Call{
			Method: method, Path: path, Bearer: a.token, Body: body, Header: http.Header{"Accept": {"application/json"}},
		}).Want(t, status)
	}
	do("POST", p+"/follow", "", 200)
	do("POST", p+"/enable", "", 200)
	do("POST", p+"/checkout-key", `{"type":"deploy-key"}`, 201)
	do("GET", p+"/checkout-key", "", 200)
	do("POST", p+"/envvar", `{"name":"SECRET","value":"correct horse"}`, 201)
	do("GET", p+"/envvar", "", 200)
	do("GET", p+"/envvar/SECRET", "", 200)
	do("PUT", p+"/envvar/SECRET", `{"value":"short"}`, 200)
	do("DELETE", p+"/envvar/SECRET", "", 200)
	do("POST", p+"/token", `{"label":"badge","scope":"status"}`, 201)
	var tokens []struct{ ID int64 }
	if listed := do("GET", p+"/token", "", 200); json.Unmarshal(listed.Body, &tokens) != nil || len(tokens) != 1 {
		t.Fatalf("%v, want one token", listed)
	}
	do("DELETE", fmt.Sprintf("%s/token/%d", p, tokens[0].ID), "", 200)
	do("DELETE", p+"/build-cache", "", 200)
	do("GET", p+"/users", "", 200)
	do("GET", p+"/status", "", 200)
	do("GET", base+"/user/repos", "", 200)
	do("PUT", base+"/user/save-preferences", `{"basic_email_prefs":"none"}`, 200)
	do("POST", base+"/user/follow-projects", fmt.Sprintf(`{"vcs-urls":[%q]}`, h.URL+"/git/ada/stoa"), 200)
	do("DELETE", p+"/enable", "", 200)
}

func calendarAnswers(t *testing.T, h *conformance.Server) {
	h.User(t, "ada")
	h.User(t, "grace")
	a := answered{h, h.Token(t, "ada", "calendar"), ""}
	const base = "/calendar/v3/"
	id := url.PathEscape(conformance.Text(t, a.do(t, "POST", base+"calendars", `{"summary":"work"}`, 200).Object(t), "id"))
	calendar, entry := base+"calendars/"+id, base+"users/me/calendarList/"+id
	a.do(t, "PATCH", calendar, `{"location":"Athens"}`, 200)
	a.do(t, "PUT", calendar, `{"summary":"works"}`, 200)
	a.do(t, "POST", calendar+"/acl", `{"role":"reader","scope":{"type":"default"}}`, 200)
	a.do(t, "GET", calendar+"/acl", "", 200)
	a.do(t, "GET", calendar+"/acl/default", "", 200)
	a.do(t, "PATCH", calendar+"/acl/default", `{"role":"freeBusyReader"}`, 200)
	a.do(t, "DELETE", calendar+"/acl/default", "", 204)
	hour := func(n int) string { return h.Clock.Now().Add(time.Duration(n) * time.Hour).Format(time.RFC3339) }
	event := conformance.Text(t, a.do(t, "POST", calendar+"/events", fmt.Sprintf(
		`{"summary":"talk","start":{"dateTime":%q},"end":{"dateTime":%q},"recurrence":["RRULE:FREQ=DAILY;COUNT=2"]}`,
		hour(1), hour(2)), 200).Object(t), "id")
	a.do(t, "GET", calendar+"/events", "", 200)
	a.do(t, "GET", calendar+"/events/"+event, "", 200)
	a.do(t, "GET", calendar+"/events/"+event+"/instances", "", 200)
	a.do(t, "GET", base+"colors", "", 200)
	a.do(t, "GET", base+"users/me/settings", "", 200)
	a.do(t, "GET", base+"users/me/settings/timezone", "", 200)
	a.do(t, "GET", base+"users/me/calendarList", "", 200)
	a.do(t, "GET", entry, "", 200)
	a.do(t, "PATCH", entry, `{"colorId":"3"}`, 200)
	a.do(t, "POST", base+"freeBusy",
		fmt.Sprintf(`{"timeMin":%q,"timeMax":%q,"items":[{"id":"primary"}]}`, hour(-9), hour(15)), 200)
	a.do(t, "POST", base+"calendars/primary/clear", "", 204)
}

func eventAnswers(t *testing.T, h *conformance.Server) {
	h.User(t, "ada")
	h.User(t, "grace")
	a := answered{h, h.Token(t, "ada", "events"), ""}
	grace := answered{h, h.Token(t, "grace", "events"), ""}
	made := a.do(t, "POST", "/user/repos", `{"name":"own","description":"mine"}`, 201).Object(t)
	a.do(t, "GET", "/repos/ada/own", "", 200)
	a.do(t, "GET", fmt.Sprintf("/repositories/%d", conformance.Integer(t, made, "id")), "", 200)
	a.do(t, "PUT", "/repos/ada/own/collaborators/grace", "", 204)
	grace.do(t, "POST", "/repos/ada/own/forks", "", 202)
	a.do(t, "DELETE", "/repos/ada/own/collaborators/grace", "", 204)
	a.do(t, "GET", "/versions", "", 200)
	a.do(t, "POST", "/api/graphql", `{"query":"open"}`, 200)
	a.do(t, "DELETE", "/repos/ada/own", "", 204)
	objectAnswers(t, a)
}

func packageAnswers(t *testing.T, p *packagesRows) {
	for _, edition := range []string{"v3", "v3alpha"} {
		for _, name := range []string{"@scope/name", "needs-flawed"} {
			p.get(t, pathOf(edition, "NPM", name, "1.0.0")+":dependencies")
		}
	}
	p.get(t, pathOf("v3alpha", "NPM", "@scope/name", "1.0.0")+":dependents")
	p.get(t, pathOf("v3alpha", "NPM", "@scope/name")+":similarlyNamedPackages")
	p.get(t, pathOf("v3alpha", "NPM", "flawed", "1.0.0")+":dependents")
	p.get(t, "/v3alpha/advisories/OSV-2026-1")
}

func modelAnswers(t *testing.T, h *conformance.Server) {
	h.User(t, "mira")
	m := models{h, h.Key(t, "mira", "generate")}
	const model = "/v1beta/models/stoa-script"
	m.get(t, "/v1beta/models").Want(t, 200)
	m.get(t, model).Want(t, 200)
	m.post(t, model+":countTokens", helloBody).Want(t, 200)
	long := strings.Repeat("word ", 2000)
	made := m.post(t, "/v1beta/cachedContents", fmt.Sprintf(`{"model":"models/stoa-script","contents":[{"role":"user","parts":[{"text":%q}]}],"ttl":"2500000s"}`, long)).Want(t, 200).Object(t)
	cache := "/v1beta/" + conformance.Text(t, made, "name")
	m.get(t, cache).Want(t, 200)
	m.get(t, "/v1beta/cachedContents").Want(t, 200)
	m.get(t, "/v1beta/files").Want(t, 200)
	h.Do(t, conformance.Call{Method: "PATCH", Path: cache + "?key=" + m.key, Body: `{"ttl":"2000000s"}`}).Want(t, 200)
	h.Do(t, conformance.Call{Method: "DELETE", Path: cache + "?key=" + m.key}).Want(t, 200)
}

func graphAnswers(t *testing.T, g *graphs) {
	g.submit(t)
	now := g.Clock.Now().Unix()
	do := func(method, path, body string, status int) *conformance.Answer {
		t.Helper()
		return g.Do(t, conformance.Call{Method: method, Path: path, Header: g.header(g.api, g.app), Body: body}).Want(t,
			status)
	}
	do("POST", "/api/v2/series", fmt.Sprintf(`{"series":[{"metric":"b","type":3,"points":[{"timestamp":%d,"value":7}]}]}`, now), 202)
	do("POST", "/api/v1/distribution_points", fmt.Sprintf(`{"series":[{"metric":"c","points":[[%d,[1,2]]]}]}`, now), 202)
	do("POST", "/api/v1/check_run", fmt.Sprintf(`[{"check":"app.ok","host_name":"h1","status":2,"timestamp":%d}]`, now), 202)
	do("POST", "/api/v1/events", `{"title":"deployed","text":"all"}`, 202)
	window := fmt.Sprintf("from=%d&to=%d&start=%d&end=%d", now-3600, now, now-3600, now)
	do("GET", "/api/v1/events?"+window, "", 200)
	do("GET", "/api/v1/query?"+window+"&query="+url.QueryEscape("avg:system.load{*}"), "", 200)
	do("GET", "/api/v1/metrics?"+window, "", 200)
	do("GET", "/api/v1/search?q=metrics:system", "", 200)
	do("GET", "/api/v1/validate", "", 200)
}
