package matrix_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/test/conformance"
)

const (
	teamHost    = "lyceum.localhost"
	deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"
)

// objects are what the wildcards of paths stand for: service.wildcard to value.
type objects map[string]string

// fixtures are three users and what is theirs. ada asks; mal is another user,
// who shares some things with her; out is disabled.
type fixtures struct {
	h *conformance.Server
	// tokens hold, by service, what each kind of credential is.
	tokens             map[string]map[string]string
	own, other, shared objects
	scopes             map[string][]module.Scope
	caches             sharedCaches
}

// services are those with an operation that takes a credential.
func services() []string {
	var names []string
	for _, m := range app.Services() {
		if slices.ContainsFunc(m.Routes, func(r route.Route) bool { return r.Access != route.Open }) {
			names = append(names, m.Name)
		}
	}
	return names
}

// keyed are the services whose credential is a key, not a token.
func keyed(service string) bool {
	return service == "snapshots" || service == "apikeys" || service == "generate"
}

func build(t *testing.T, h *conformance.Server) *fixtures {
	t.Helper()
	f := &fixtures{
		h: h, tokens: map[string]map[string]string{}, own: objects{}, other: objects{}, shared: objects{},
		scopes: map[string][]module.Scope{}, caches: sharedCaches{},
	}
	for _, name := range []string{"ada", "mal", "out"} {
		h.Command(t, "user add", map[string][]string{
			"name": {name}, "email": {name + "@example.com"}, "password": {"correct horse battery staple"},
		})
	}
	h.Command(t, "org add", map[string][]string{"name": {"lyceum"}})
	for _, name := range []string{"ada", "mal"} {
		h.Command(t, "org member add", map[string][]string{"org": {"lyceum"}, "user": {name}})
	}
	h.Command(t, "team add", map[string][]string{"name": {"lyceum"}, "owner": {"mal"}, "member": {"ada"}})
	for _, m := range app.Services() {
		f.scopes[m.Name] = m.Scopes
	}
	for _, service := range services() {
		f.credentials(t, service)
	}
	h.Command(t, "user disable", map[string][]string{"name": {"out"}})
	h.Clock.Advance(25 * time.Hour) // the expired ones were good for a day at most
	f.refreshTokens(t)
	f.repositories(t)
	f.otherKinds(t)
	f.tasks(t)
	f.calendars(t)
	f.articles(t)
	f.analytics(t)
	f.generate(t)
	f.snapshots(t)
	return f
}

// credentials makes every kind for one service.
func (f *fixtures) credentials(t *testing.T, service string) {
	t.Helper()
	kinds := map[string]string{"garbage": "0123456789abcdef0123456789abcdef"}
	f.tokens[service] = kinds
	issue := func(user string, extra map[string][]string) map[string]any {
		values := map[string][]string{"user": {user}, "service": {service}}
		for name, value := range extra {
			values[name] = value
		}
		if keyed(service) {
			return f.h.Command(t, "key issue", values)
		}
		return f.h.Command(t, "token issue", values)
	}
	secret := func(made map[string]any) string {
		if keyed(service) {
			return conformance.Text(t, made, "key")
		}
		return conformance.Text(t, made, "token")
	}
	kinds["full"], kinds["mal"], kinds["disabled"] = secret(issue("ada", nil)), secret(issue("mal", nil)),
		secret(issue("out", nil))
	revoked := issue("ada", nil)
	kinds["revoked"] = secret(revoked)
	what := "token"
	if keyed(service) {
		what = "key"
		kinds["expired"] = secret(issue("ada", map[string][]string{"days": {"1"}}))
		kinds["key"] = f.h.Token(t, "ada", "tasks")
	} else {
		kinds["expired"] = secret(issue("ada", map[string][]string{"ttl": {"1m"}}))
		kinds["key"] = conformance.Text(t,
			f.h.Command(t, "key issue", map[string][]string{
				"user": {"ada"}, "service": {service}, "any-kind": {"true"},
			}), "key")
	}
	f.h.Command(t, what+" revoke", map[string][]string{"id": {fmt.Sprint(revoked["id"])}})
	foreign := "tasks"
	if service == "tasks" {
		foreign = "calendar"
	}
	if keyed(service) {
		other := map[string]string{"snapshots": "generate", "generate": "snapshots", "apikeys": "generate"}[service]
		kinds["foreign"] = conformance.Text(t,
			f.h.Command(t, "key issue", map[string][]string{"user": {"ada"}, "service": {other}}), "key")
	} else {
		kinds["foreign"] = f.h.Token(t, "ada", foreign)
	}
	if service == "snapshots" {
		for _, user := range []string{"ada", "mal"} {
			kinds["application "+user] = conformance.Text(t, f.h.Command(t, "key issue", map[string][]string{
				"user": {user}, "service": {service}, "kind": {"application"},
			}), "key")
		}
	}
}

// refreshTokens gives every service that takes tokens the refresh token of a
// device grant with its scopes.
func (f *fixtures) refreshTokens(t *testing.T) {
	t.Helper()
	client := f.h.Command(t, "client add", map[string][]string{
		"name": {"tv"}, "type": {"device"},
		"scope": {"tasks", "calendar", "metadata:read", "read_svc", "view-builds", "user.id"},
	})
	id, secret := conformance.Text(t, client, "client_id"), conformance.Text(t, client, "client_secret")
	scopes := map[string]string{
		"tasks": "tasks", "calendar": "calendar", "events": "metadata:read", "articles": "read_svc",
		"pipelines": "view-builds",
		"analytics": "user.id", "labels": "",
	}
	for service, scope := range scopes {
		if scope == "" {
			continue
		}
		code := f.form(t, "/device/code", url.Values{"client_id": {id}, "scope": {scope}})
		if code.Status != http.StatusOK {
			t.Fatalf("device code for %s: %v", scope, code)
		}
		begun := code.Object(t)
		f.h.Command(t, "grant approve", map[string][]string{
			"user_code": {conformance.Text(t, begun, "user_code")}, "user": {"ada"},
		})
		pair := f.form(t, "/token", url.Values{
			"client_id": {id}, "client_secret": {secret}, "grant_type": {deviceGrant},
			"device_code": {conformance.Text(t, begun, "device_code")},
		}).Want(t, http.StatusOK).Object(t)
		f.tokens[service]["refresh"] = conformance.Text(t, pair, "refresh_token")
		f.tokens[service]["access"] = conformance.Text(t, pair, "access_token")
	}
}

func (f *fixtures) form(t *testing.T, path string, values url.Values) *conformance.Answer {
	t.Helper()
	return f.h.Do(t, conformance.Call{
		Method: "POST", Path: path, Body: values.Encode(),
		Header: http.Header{"Content-Type": {"application/x-www-form-urlencoded"}},
	})
}

// credential is the headers of one kind at one operation.
func (f *fixtures) credential(t *testing.T, o operation, kind string) (http.Header, bool) {
	h := http.Header{}
	if kind == "none" {
		return h, true
	}
	service := o.module.Name
	if service == "forge" {
		service = "events"
	}
	kinds, ok := f.tokens[service]
	if !ok {
		service, kinds = "tasks", f.tokens["tasks"] // pages and open services take none
	}
	value, ok := kinds[kind]
	if kind == "narrow" {
		value, ok = f.narrow(t, o, service)
	}
	if !ok {
		return nil, false
	}
	f.present(h, o.module.Name, value)
	return h, true
}

// narrow is a token of the service whose one scope the operation does not take.
func (f *fixtures) narrow(t *testing.T, o operation, service string) (string, bool) {
	t.Helper()
	if keyed(service) || o.module.Name != service && o.module.Name != "forge" {
		return "", false
	}
	if strings.HasSuffix(o.route.Pattern, "/graphql") {
		return "", false // its fields ask for scopes, and what they refuse is part of an answer of 200
	}
	accepted := o.route.Scopes
	if len(accepted) == 0 {
		accepted = broad()[o.module.Name]
	}
	for _, scope := range f.scopes[service] {
		if slices.Contains(accepted, scope.Name) {
			continue
		}
		kind := "scope " + scope.Name
		if f.tokens[service][kind] == "" {
			f.tokens[service][kind] = f.h.Token(t, "ada", service, scope.Name)
		}
		return f.tokens[service][kind], true
	}
	return "", false
}

// broad are the scopes of services that ask inside their handlers, but for the
// narrowest.
func broad() map[string][]string {
	return map[string][]string{
		"articles": {"write_svc", "write_svc_team", "read_svc_team"},
		"events": {
			"contents:read", "contents:write", "administration:write", "starring:write", "events:read", "events:write",
			"organization_events:read", "issues:read", "issues:write", "pull_requests:read", "pull_requests:write",
		},
		"pipelines": {"view-builds", "all"},
		"forge":     {"metadata:read", "contents:read", "contents:write", "administration:write"},
	}
}

// present puts a credential where the service looks for it.
func (f *fixtures) present(h http.Header, service, value string) {
	switch service {
	case "snapshots":
		h.Set("SVC-API-KEY", value)
		h.Set("SVC-APPLICATION-KEY", f.tokens["snapshots"]["application ada"])
	case "pipelines":
		h.Set("Pipeline-Token", value)
	case "generate":
		h.Set("X-Vendor-Api-Key", value)
	case "forge":
		r := http.Request{Header: h}
		r.SetBasicAuth("x", value)
	default:
		h.Set("Authorization", "Bearer "+value)
	}
}

// as asks a service as one of the users.
func (f *fixtures) as(t *testing.T, user, service string, c conformance.Call) *conformance.Answer {
	t.Helper()
	kind := map[string]string{"ada": "full", "mal": "mal"}[user]
	if c.Header == nil {
		c.Header = http.Header{}
	}
	f.present(c.Header, service, f.tokens[service][kind])
	if service == "snapshots" {
		c.Header.Set("SVC-APPLICATION-KEY", f.tokens[service]["application "+user])
	}
	return f.h.Do(t, c)
}

// each makes something for ada and for mal and notes it under the wildcard.
func (f *fixtures) each(t *testing.T, key string, make func(user string) string) {
	t.Helper()
	f.own[key], f.other[key] = make("ada"), make("mal")
}

// otherKinds are the tokens that belong to a repository or an app, for the
// services that have repositories, and application keys for all.
func (f *fixtures) otherKinds(t *testing.T) {
	t.Helper()
	app := conformance.Text(t,
		f.h.Command(t, "client add", map[string][]string{"name": {"bot"}, "type": {"app"}, "org": {"lyceum"}}), "client_id")
	for _, service := range []string{"events", "pipelines"} {
		for kind, extra := range map[string]map[string][]string{
			"project":      {"repo": {"ada/private"}, "user": {"ada"}},
			"workflow":     {"repo": {"ada/private"}, "user": {"ada"}},
			"installation": {"client": {app}},
		} {
			values := map[string][]string{"service": {service}, "kind": {kind}}
			for name, value := range extra {
				values[name] = value
			}
			f.tokens[service][kind] = conformance.Text(t, f.h.Command(t, "token issue", values), "token")
		}
	}
	for _, service := range services() {
		f.tokens[service]["application"] = conformance.Text(t, f.h.Command(t, "key issue", map[string][]string{
			"user": {"ada"}, "service": {service}, "kind": {"application"}, "any-kind": {"true"},
		}), "key")
	}
}

// repositories are private ones of ada and mal, and one of an organization that
// both are members of.
func (f *fixtures) repositories(t *testing.T) {
	t.Helper()
	folder := source(t)
	for owner, into := range map[string]objects{"ada": f.own, "mal": f.other, "lyceum": f.shared} {
		values := map[string][]string{"repo": {owner + "/private"}, "folder": {folder}, "private": {"true"}, "user": {owner}}
		if owner == "lyceum" {
			values["user"] = []string{"mal"}
		}
		f.h.Command(t, "repo import", values)
		for _, service := range []string{"events", "events_pages", "forge"} {
			into[service+".owner"], into[service+".repo"] = owner, "private"
		}
		for name, value := range map[string]string{
			"branch": "main", "ref": "main", "sha": "main", "basehead": "main...main", "path": "pipeline.yml",
		} {
			into["events."+name] = value
		}
		into["pipelines.vcs"], into["pipelines.username"], into["pipelines.project"] = "vcs_a", owner, "private"
		into["pipelines.build_num"], into["pipelines.branch"] = "1", "main"
	}
	for member, permission := range map[string]string{"mal": "admin", "ada": "read"} {
		f.h.Command(t, "repo member", map[string][]string{
			"repo": {"lyceum/private"}, "member": {member}, "permission": {permission},
		})
	}
	for owner, into := range map[string]objects{"ada": f.own, "mal": f.other, "lyceum": f.shared} {
		asks := "mal"
		if owner == "ada" {
			asks = "ada"
		}
		found := f.as(t, asks, "events", conformance.Call{Path: "/repos/" + owner + "/private"}).Want(t,
			http.StatusOK).Object(t)
		into["events.id"] = fmt.Sprint(conformance.Integer(t, found, "id"))
		f.as(t, asks, "events", conformance.Call{
			Method: "POST", Path: "/repos/" + owner + "/private/issues", Body: `{"title":"Shade","labels":["1"]}`,
		}).Want(t, http.StatusCreated)
	}
	f.own["events.username"], f.other["events.username"] = "ada", "mal"
	f.own["events.org"], f.other["events.org"] = "lyceum", "elsewhere"
	f.h.Command(t, "org add", map[string][]string{"name": {"elsewhere"}})
	for owner, user := range map[string]string{"ada": "ada", "mal": "mal", "lyceum": "mal"} {
		f.as(t, user, "pipelines", conformance.Call{Method: "POST", Path: "/api/v1.1/project/vcs_a/" + owner + "/private", Body: `{"branch":"main"}`}).
			Want(t, http.StatusOK, http.StatusCreated, http.StatusAccepted)
	}
}

// source is a repository with one commit.
func source(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	const recipe = "version: 2.1\njobs:\n  build:\n    steps:\n      - run: echo hi\nworkflows:\n  main:\n    jobs: " +
		"[build]\n"
	if err := os.WriteFile(filepath.Join(dir, "pipeline.yml"), []byte(recipe), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"},
		{"add", "."},
		{"-c", "user.name=ada", "-c", "user.email=ada@example.com", "commit", "-q", "-m", "first"},
	} {
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	return dir
}

func (f *fixtures) tasks(t *testing.T) {
	t.Helper()
	f.each(t, "tasks.tasklist", func(user string) string {
		return conformance.Text(t, f.as(t, user, "tasks", conformance.Call{
			Method: "POST", Path: "/tasks/v1/users/@me/lists", Body: `{"title":"things"}`,
		}).Want(t, http.StatusOK).Object(t), "id")
	})
	lists := map[string]string{"ada": f.own["tasks.tasklist"], "mal": f.other["tasks.tasklist"]}
	f.each(t, "tasks.task", func(user string) string {
		return conformance.Text(t, f.as(t, user, "tasks", conformance.Call{
			Method: "POST", Path: "/tasks/v1/lists/" + lists[user] + "/tasks", Body: `{"title":"thing"}`,
		}).Want(t, http.StatusOK).Object(t), "id")
	})
}

// calendars are one of ada, one of mal, and one of mal that ada may read.
func (f *fixtures) calendars(t *testing.T) {
	t.Helper()
	calendar := func(user string) string {
		return conformance.Text(t, f.as(t, user, "calendar", conformance.Call{
			Method: "POST", Path: "/calendar/v3/calendars", Body: `{"summary":"days"}`,
		}).Want(t, http.StatusOK).Object(t), "id")
	}
	event := func(user, id string) string {
		return conformance.Text(t, f.as(t, user, "calendar", conformance.Call{
			Method: "POST", Path: "/calendar/v3/calendars/" + url.PathEscape(id) + "/events",
			Body: `{"summary":"day","start":{"date":"2026-03-10"},"end":{"date":"2026-03-11"}}`,
		}).Want(t, http.StatusOK).Object(t), "id")
	}
	for into, user := range map[*objects]string{&f.own: "ada", &f.other: "mal", &f.shared: "mal"} {
		id := calendar(user)
		(*into)["calendar.calendarId"], (*into)["calendar.eventId"] = url.PathEscape(id), event(user, id)
		(*into)["calendar.ruleId"] = "user:" + user + "@example.com"
	}
	f.own["calendar.setting"] = "timezone"
	f.as(t, "mal", "calendar", conformance.Call{
		Method: "POST", Path: "/calendar/v3/calendars/" + f.shared["calendar.calendarId"] + "/acl",
		Body: `{"role":"reader","scope":{"type":"user","value":"ada@example.com"}}`,
	}).Want(t, http.StatusOK)
}

// articles are private ones of ada and mal on the public site, and one of the
// team.
func (f *fixtures) articles(t *testing.T) {
	t.Helper()
	item := func(user, host string, private bool) string {
		return conformance.Text(t, f.as(t, user, "articles", conformance.Call{
			Method: "POST", Path: "/api/v2/items", Host: host,
			Body: fmt.Sprintf(`{"title":"thing","body":"text","private":%t,"tags":[{"name":"go","versions":[]}]}`, private),
		}).Want(t, http.StatusCreated).Object(t), "id")
	}
	f.each(t, "articles.item_id", func(user string) string { return item(user, "", true) })
	f.shared["articles.item_id"] = item("mal", "", false)
	f.own["articles@team.item_id"], f.other["articles@team.item_id"] = item("ada", teamHost, false),
		item("mal", teamHost, false)
	comment := func(user, host, item string) string {
		return conformance.Text(t, f.as(t, user, "articles", conformance.Call{
			Method: "POST", Path: "/api/v2/items/" + item + "/comments", Host: host, Body: `{"body":"words"}`,
		}).Want(t, http.StatusCreated).Object(t), "id")
	}
	f.own["articles.comment_id"] = comment("ada", "", f.own["articles.item_id"])
	f.other["articles.comment_id"] = comment("mal", "", f.other["articles.item_id"])
	f.shared["articles.comment_id"] = comment("mal", "", f.shared["articles.item_id"])
	f.own["articles.user_id"], f.other["articles.user_id"] = "ada", "mal"
	f.own["articles.tag_id"] = "go"
	f.own["articles.access_token"] = f.h.Token(t, "ada", "articles")
	f.other["articles.access_token"] = f.h.Token(t, "mal", "articles")
	f.own["articles.reaction_name"], f.other["articles.reaction_name"] = "thumbsup", "thumbsup"
}

func (f *fixtures) analytics(t *testing.T) {
	t.Helper()
	f.each(t, "analytics.project_id", func(user string) string {
		made := f.as(t, user, "analytics", conformance.Call{
			Method: "POST", Path: "/apis/v4/projects/v0", Body: `{"url":"` + user + `.example"}`,
		}).Want(t, http.StatusOK).Object(t)
		return fmt.Sprint(conformance.Integer(t, conformance.Sub(t, made, "data"), "project_id"))
	})
}

func (f *fixtures) generate(t *testing.T) {
	t.Helper()
	models, ok := f.as(t, "ada", "generate", conformance.Call{Path: "/v1beta/models"}).Want(t,
		http.StatusOK).Object(t)["models"].([]any)
	if !ok || len(models) == 0 {
		t.Fatal("there is no model")
	}
	f.own["generate.model"] = strings.TrimPrefix(conformance.Text(t, models[0].(map[string]any), "name"), "models/")
	f.each(t, "generate.file", func(user string) string {
		body := "--b\r\nContent-Type: application/json\r\n\r\n{\"file\":{\"display_name\":\"notes\"}}\r\n--b\r\n" +
			"Content-Type: text/plain\r\n\r\nwords\r\n--b--\r\n"
		made := f.as(t, user, "generate", conformance.Call{
			Method: "POST", Path: "/upload/v1beta/files", Body: body,
			Header: http.Header{"Content-Type": {"multipart/related; boundary=b"}, "X-Vendor-Upload-Protocol": {"multipart"}},
		}).Want(t, http.StatusOK).Object(t)
		return strings.TrimPrefix(conformance.Text(t, conformance.Sub(t, made, "file"), "name"), "files/")
	})
	f.each(t, "generate.batch", func(user string) string {
		made := f.as(t, user, "generate", conformance.Call{
			Method: "POST", Path: "/v1beta/models/stoa-script:batchGenerateContent",
			Body: `{"batch":{"inputConfig":{"requests":{"requests":[{"request":{"contents":[{"parts":[{"text":"x"}]}]}}]}}}}`,
		}).Want(t, http.StatusOK).Object(t)
		return strings.TrimPrefix(conformance.Text(t, made, "name"), "batches/")
	})
	// A batch that has ended is refused, not cancelled.
	if err := f.h.App().World().Jobs.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (f *fixtures) snapshots(t *testing.T) {
	t.Helper()
	f.each(t, "snapshots.id", func(user string) string {
		made := f.as(t, user, "snapshots", conformance.Call{
			Method: "POST", Path: "/api/v1/events", Body: `{"title":"thing","text":"words"}`,
		}).Want(t, http.StatusOK, http.StatusAccepted).Object(t)
		return fmt.Sprint(conformance.Member(t, conformance.Sub(t, made, "event"), "id"))
	})
}
