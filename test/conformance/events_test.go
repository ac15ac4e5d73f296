package conformance_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/test/conformance"
)

// forgeServer is a server with users and repositories.
type forgeServer struct {
	*conformance.Server
	// ada owns the organization lyceum, grace is a plain member, zeno is not a member.
	ada, grace, zeno string
}

// openSmall has ada alone: passwords are slow on purpose, and rows that change
// the limits each need a server.
func openSmall(t *testing.T, open opener, configure func(*app.Config)) *forgeServer {
	t.Helper()
	h := &forgeServer{Server: open(t, conformance.Options{Configure: configure})}
	h.User(t, "ada")
	h.ada = h.Token(t, "ada", "events")
	return h
}

func openForge(t *testing.T, open opener, configure ...func(*app.Config)) *forgeServer {
	t.Helper()
	h := &forgeServer{Server: open(t, conformance.Options{Configure: func(c *app.Config) {
		for _, change := range configure {
			change(c)
		}
	}})}
	for _, name := range []string{"ada", "grace", "zeno"} {
		h.User(t, name)
	}
	h.Command(t, "org add", map[string][]string{"name": {"lyceum"}})
	h.Command(t, "org member add", map[string][]string{"org": {"lyceum"}, "user": {"ada"}, "role": {"owner"}})
	h.Command(t, "org member add", map[string][]string{"org": {"lyceum"}, "user": {"grace"}})
	h.ada, h.grace, h.zeno = h.Token(t, "ada", "events"), h.Token(t, "grace", "events"), h.Token(t, "zeno", "events")
	return h
}

func (h *forgeServer) repo(t *testing.T, name string, private bool) int64 {
	t.Helper()
	values := map[string][]string{"repo": {name}, "user": {"ada"}}
	if private {
		values["private"] = []string{"true"}
	}
	id, ok := h.Command(t, "repo create", values)["id"].(float64)
	if !ok {
		t.Fatalf("repo create %s printed no id", name)
	}
	return int64(id)
}

// add records events of a repository and returns the id of the last.
func (h *forgeServer) add(t *testing.T, repo, user string, count int) string {
	t.Helper()
	id, _ := h.Command(t, "events add", map[string][]string{
		"type": {"WatchEvent"}, "repo": {repo}, "user": {user},
		"payload": {`{"action":"started"}`}, "count": {strconv.Itoa(count)},
	})["id"].(string)
	return id
}

func (h *forgeServer) get(t *testing.T, path, token string, header ...string) *conformance.Answer {
	t.Helper()
	set := http.Header{}
	for i := 0; i+1 < len(header); i += 2 {
		set.Set(header[i], header[i+1])
	}
	return h.Do(t, conformance.Call{Path: path, Bearer: token, Header: set})
}

// list is a feed that must be served.
func (h *forgeServer) list(t *testing.T, path, token string) []map[string]any {
	t.Helper()
	return entries(t, h.get(t, path, token).Want(t, http.StatusOK))
}

func entries(t *testing.T, a *conformance.Answer) []map[string]any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(a.Body))
	d.UseNumber()
	var list []map[string]any
	if err := d.Decode(&list); err != nil {
		t.Fatalf("%v: %v", a, err)
	}
	return list
}

func number(t *testing.T, a *conformance.Answer, name string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(a.Header.Get(name), 10, 64)
	if err != nil {
		t.Fatalf("%v: header %s is %q, want an integer", a, name, a.Header.Get(name))
	}
	return n
}

// TestEvents proves I-01 to I-24.
func TestEvents(t *testing.T) {
	t.Parallel()
	conformance.On(t, eventRows)
}

func eventRows(t *testing.T, open opener) {
	t.Helper()
	h := openForge(t, open)
	h.repo(t, "lyceum/colonnade", false)
	h.repo(t, "ada/own", false)
	h.repo(t, "ada/secret", true)
	h.repo(t, "lyceum/hidden", true)
	t.Run("I-01", func(t *testing.T) { eventMembers(t, h) })
	t.Run("I-02", func(t *testing.T) { eventOrg(t, h) })
	t.Run("I-03", func(t *testing.T) { watchPayload(t, h) })
	t.Run("I-04", func(t *testing.T) { pushPayload(t, h) })
	t.Run("I-05", func(t *testing.T) {
		h.get(t, "/events", h.ada, "Accept", "application/vendor+json", "X-Vendor-Api-Version", "2026-03-10").Want(
			t, http.StatusOK)
		h.get(t, "/events", h.ada, "X-Vendor-Api-Version", "1999-01-01").Want(t, http.StatusBadRequest)
	})
	t.Run("I-06", func(t *testing.T) {
		h.add(t, "ada/secret", "ada", 1)
		open := h.add(t, "ada/own", "ada", 1)
		list := h.list(t, "/events?per_page=100", h.ada)
		if len(list) == 0 || conformance.Text(t, list[0], "id") != open {
			t.Errorf("the newest public event is not the first: %v", list)
		}
		for _, e := range list {
			if e["public"] != true {
				t.Errorf("a private event in /events: %v", e)
			}
		}
	})
	t.Run("I-07", func(t *testing.T) { networkFeed(t, h) })
	t.Run("I-08", func(t *testing.T) { orgFeed(t, h) })
	t.Run("I-09", func(t *testing.T) { repoFeed(t, h) })
	t.Run("I-10", func(t *testing.T) { userFeed(t, h) })
	t.Run("I-11", func(t *testing.T) {
		own := h.list(t, "/users/grace/events/orgs/lyceum", h.grace)
		if len(own) == 0 || !hasRepo(own, "lyceum/hidden") || hasRepo(own, "ada/own") {
			t.Errorf("a member's view: got %v", own)
		}
		for _, token := range []string{"", h.ada, h.zeno} {
			h.get(t, "/users/grace/events/orgs/lyceum", token).Refused(t)
		}
		h.get(t, "/users/zeno/events/orgs/lyceum", h.zeno).Refused(t)
	})
	t.Run("I-12", func(t *testing.T) {
		o := h.get(t, "/rate_limit", h.ada).Want(t, http.StatusOK).Object(t)
		for _, name := range []string{"limit", "used", "remaining", "reset"} {
			conformance.Integer(t, o, "resources", "core", name)
		}
	})
	t.Run("I-13", func(t *testing.T) { paging(t, h) })
	t.Run("I-14", func(t *testing.T) { entityTags(t, h) })
	t.Run("I-15", func(t *testing.T) { freeNotModified(t, h) })
	t.Run("I-16", func(t *testing.T) {
		if n := number(t, h.get(t, "/events", h.ada), "X-Poll-Interval"); n < 1 {
			t.Errorf("X-Poll-Interval: got %d, want at least 1", n)
		}
	})
	t.Run("I-17", func(t *testing.T) { threeHundred(t, open) })
	t.Run("I-18", func(t *testing.T) { thirtyDays(t, open) })
	t.Run("I-19", func(t *testing.T) { latency(t, open) })
	t.Run("I-20", func(t *testing.T) { tokenKinds(t, h) })
	t.Run("I-21", func(t *testing.T) {
		h.get(t, "/events", bare(t, h, "ada")).Want(t, http.StatusOK)
		h.get(t, "/users/ada/events/public", bare(t, h, "ada")).Want(t, http.StatusOK)
	})
	t.Run("I-22", func(t *testing.T) {
		h.get(t, "/repos/ada/secret/events", h.Token(t, "ada", "events", "metadata:read")).Want(t, http.StatusOK)
		h.get(t, "/repos/ada/secret/events", bare(t, h, "ada")).Refused(t)
		h.get(t, "/repos/ada/secret/events", h.zeno).Want(t, http.StatusNotFound)
		h.get(t, "/repos/ada/own/events", bare(t, h, "ada")).Want(t, http.StatusOK)
	})
	t.Run("I-23", func(t *testing.T) {
		h.add(t, "ada/secret", "ada", 1)
		with := h.list(t, "/users/ada/events?per_page=100", h.Token(t, "ada", "events", "events:read"))
		without := h.list(t, "/users/ada/events?per_page=100", bare(t, h, "ada"))
		if !hasRepo(with, "ada/secret") || hasRepo(without, "ada/secret") || len(without) == 0 {
			t.Errorf("with the permission %d events, without %d", len(with), len(without))
		}
	})
	t.Run("I-24", func(t *testing.T) {
		h.get(t, "/users/ada/events/orgs/lyceum", bare(t, h, "ada")).Refused(t)
		h.get(t, "/users/ada/events/orgs/lyceum", h.Token(t, "ada", "events", "organization_events:read")).Want(t,
			http.StatusOK)
	})
}

// bare is a token that carries one permission which opens none of the feeds.
func bare(t *testing.T, h *forgeServer, user string) string {
	t.Helper()
	return h.Token(t, user, "events", "starring:write")
}

func hasRepo(list []map[string]any, name string) bool {
	for _, e := range list {
		if repo, ok := e["repo"].(map[string]any); ok && repo["name"] == name {
			return true
		}
	}
	return false
}

func eventMembers(t *testing.T, h *forgeServer) {
	h.add(t, "ada/own", "ada", 1)
	e := h.list(t, "/events", "")[0]
	conformance.Only(t, e, "id", "type", "actor", "repo", "payload", "public", "created_at")
	if id := conformance.Text(t, e, "id"); id == "" || strings.Trim(id, "0123456789") != "" {
		t.Errorf("id: got %q, want digits", id)
	}
	conformance.Text(t, e, "type")
	conformance.Only(t, conformance.Sub(t, e, "actor"), "id", "login", "display_login", "avatar_service_id", "url",
		"avatar_url")
	conformance.Integer(t, e, "actor", "id")
	for _, name := range []string{"login", "display_login", "avatar_service_id", "url", "avatar_url"} {
		conformance.Text(t, e, "actor", name)
	}
	conformance.Only(t, conformance.Sub(t, e, "repo"), "id", "name", "url")
	conformance.Integer(t, e, "repo", "id")
	conformance.Sub(t, e, "payload")
	if _, err := time.Parse(time.RFC3339, conformance.Text(t, e, "created_at")); err != nil {
		t.Errorf("created_at: %v", err)
	}
}

func eventOrg(t *testing.T, h *forgeServer) {
	h.add(t, "lyceum/colonnade", "grace", 1)
	e := h.list(t, "/orgs/lyceum/events", "")[0]
	if got := conformance.Text(t, e, "org", "login"); got != "lyceum" {
		t.Errorf("org.login: got %q", got)
	}
	conformance.Integer(t, e, "org", "id")
}

func watchPayload(t *testing.T, h *forgeServer) {
	h.Command(t, "repo star", map[string][]string{"repo": {"ada/own"}, "user": {"zeno"}})
	e := h.list(t, "/repos/ada/own/events", "")[0]
	if conformance.Text(t, e, "type") != "WatchEvent" || conformance.Text(t, e, "payload", "action") != "started" ||
		conformance.Text(t, e, "actor", "login") != "zeno" {
		t.Errorf("got %v", e)
	}
}

func networkFeed(t *testing.T, h *forgeServer) {
	h.repo(t, "ada/root", false)
	h.Command(t, "repo fork", map[string][]string{"repo": {"ada/root"}, "owner": {"grace"}})
	h.add(t, "grace/root", "grace", 1)
	list := h.list(t, "/networks/ada/root/events", "")
	if !hasRepo(list, "ada/root") || !hasRepo(list, "grace/root") || hasRepo(list, "ada/own") {
		t.Errorf("the network holds %v", list)
	}
	if other := h.list(t, "/networks/ADA/Root/events", ""); fmt.Sprint(other) != fmt.Sprint(list) {
		t.Errorf("another letter case: got %v, want %v", other, list)
	}
	h.get(t, "/networks/ada/nothing/events", "").Want(t, http.StatusNotFound)
	h.get(t, "/networks/ada/secret/events", h.zeno).Want(t, http.StatusNotFound)
	h.Command(t, "repo rename", map[string][]string{"repo": {"ada/root"}, "new": {"base"}})
	moved := h.get(t, "/networks/ada/root/events?per_page=5", h.ada).Want(t, http.StatusMovedPermanently)
	to := strings.TrimPrefix(moved.Header.Get("Location"), h.URL)
	h.get(t, to, h.ada).Want(t, http.StatusOK)
	from := h.get(t, "/repos/ada/root/events", h.ada).Want(t, http.StatusMovedPermanently)
	h.get(t, strings.TrimPrefix(from.Header.Get("Location"), h.URL), h.ada).Want(t, http.StatusOK)
}

func orgFeed(t *testing.T, h *forgeServer) {
	list := h.list(t, "/orgs/LYCEUM/events", h.grace)
	for _, e := range list {
		if !strings.HasPrefix(conformance.Text(t, e, "repo", "name"), "lyceum/") || e["public"] != true {
			t.Errorf("got %v", e)
		}
	}
	if len(list) == 0 {
		t.Error("the organization's feed is empty")
	}
	h.get(t, "/orgs/none/events", "").Want(t, http.StatusNotFound)
}

func repoFeed(t *testing.T, h *forgeServer) {
	h.add(t, "ada/own", "grace", 1)
	for _, e := range h.list(t, "/repos/ada/own/events", "") {
		if got := conformance.Text(t, e, "repo", "name"); got != "ada/own" {
			t.Errorf("repo: got %s", got)
		}
	}
	if len(h.list(t, "/repos/Ada/OWN/events", "")) == 0 {
		t.Error("names are compared with their case")
	}
	h.get(t, "/repos/ada/nothing/events", "").Want(t, http.StatusNotFound)
	h.get(t, "/repos/ada/own.git/events", "").Want(t, http.StatusNotFound)
}

func userFeed(t *testing.T, h *forgeServer) {
	h.add(t, "ada/secret", "ada", 1)
	h.add(t, "ada/own", "ada", 1)
	own := h.list(t, "/users/ada/events?per_page=100", h.ada)
	if !hasRepo(own, "ada/secret") || !hasRepo(own, "ada/own") {
		t.Errorf("one's own feed lacks events: %v", own)
	}
	for _, token := range []string{"", h.grace} {
		other := h.list(t, "/users/ada/events?per_page=100", token)
		if hasRepo(other, "ada/secret") || !hasRepo(other, "ada/own") {
			t.Errorf("another's view of ada: %v", other)
		}
	}
	if none := h.list(t, "/users/none/events", ""); len(none) != 0 {
		t.Errorf("the feed of a name without a user: %v, want it empty", none)
	}
}

func paging(t *testing.T, h *forgeServer) {
	h.repo(t, "ada/long", false)
	h.add(t, "ada/long", "ada", 130)
	first := h.list(t, "/repos/ada/long/events?per_page=100", h.ada)
	second := h.list(t, "/repos/ada/long/events?per_page=100&page=2", h.ada)
	if len(first) != 100 || len(second) != 31 {
		t.Fatalf("pages of %d and %d, want 100 and 31", len(first), len(second))
	}
	all := append(first, second...)
	for i := 1; i < len(all); i++ {
		a, _ := strconv.Atoi(conformance.Text(t, all[i-1], "id"))
		b, _ := strconv.Atoi(conformance.Text(t, all[i], "id"))
		if a <= b {
			t.Fatalf("event %d comes before %d", a, b)
		}
	}
	if got := len(h.list(t, "/repos/ada/long/events?per_page=1000", h.ada)); got != 100 {
		t.Errorf("per_page=1000: got %d, want 100", got)
	}
	if got := len(h.list(t, "/repos/ada/long/events", h.ada)); got != 30 {
		t.Errorf("without per_page: got %d, want 30", got)
	}
	link := h.get(t, "/repos/ada/long/events?per_page=50&page=2", h.ada).Header.Get("Link")
	for _, rel := range []string{`rel="prev"`, `rel="next"`, `rel="last"`, `rel="first"`, "per_page=50", "page=3"} {
		if !strings.Contains(link, rel) {
			t.Errorf("Link %q lacks %s", link, rel)
		}
	}
	h.get(t, "/repos/ada/long/events?per_page=100&page=4", h.ada).Want(t, http.StatusUnprocessableEntity)
}

func entityTags(t *testing.T, h *forgeServer) {
	for _, path := range []string{
		"/events", "/networks/ada/own/events", "/orgs/lyceum/events", "/repos/ada/own/events", "/users/ada/events",
		"/users/ada/events/public", "/users/ada/events/orgs/lyceum",
		"/users/ada/received_events", "/users/ada/received_events/public",
	} {
		tag := h.get(t, path, h.ada).Want(t, http.StatusOK).Header.Get("Etag")
		if !strings.HasPrefix(tag, `"`) || !strings.HasSuffix(tag, `"`) {
			t.Errorf("%s: ETag is %q, want quotes", path, tag)
		}
		same := h.get(t, path, h.ada, "If-None-Match", tag).Want(t, http.StatusNotModified)
		if len(same.Body) != 0 || same.Header.Get("Etag") != tag || same.Header.Get("X-Poll-Interval") == "" {
			t.Errorf("%s: 304 with body %q and headers %v", path, same.Body, same.Header)
		}
		if path == "/users/ada/received_events" || path == "/users/ada/received_events/public" {
			h.add(t, "ada/own", "grace", 1)
		} else {
			h.add(t, "ada/own", "ada", 1)
			h.add(t, "lyceum/colonnade", "ada", 1)
		}
		after := h.get(t, path, h.ada, "If-None-Match", tag).Want(t, http.StatusOK)
		if after.Header.Get("Etag") == tag {
			t.Errorf("%s: the tag did not change with a new event", path)
		}
	}
}

func freeNotModified(t *testing.T, h *forgeServer) {
	for _, token := range []string{h.ada, ""} {
		first := h.get(t, "/events", token).Want(t, http.StatusOK)
		before := number(t, first, "X-Ratelimit-Remaining")
		for range 3 {
			again := h.get(t, "/events", token, "If-None-Match", first.Header.Get("Etag")).Want(t,
				http.StatusNotModified)
			if got := number(t, again, "X-Ratelimit-Remaining"); got != before {
				t.Errorf("remaining after a 304: got %d, want %d", got, before)
			}
		}
	}
}

func threeHundred(t *testing.T, open opener) {
	h := openForge(t, open)
	h.repo(t, "ada/own", false)
	h.add(t, "ada/own", "ada", 350)
	total := 0
	for page := 1; page <= 3; page++ {
		total += len(h.list(t, "/events?per_page=100&page="+strconv.Itoa(page), h.ada))
	}
	if total != 300 {
		t.Errorf("paging gave %d events, want 300", total)
	}
	h.get(t, "/events?per_page=100&page=4", h.ada).Want(t, http.StatusUnprocessableEntity)
}

func thirtyDays(t *testing.T, open opener) {
	h := openForge(t, open)
	h.repo(t, "ada/own", false)
	old := h.add(t, "ada/own", "ada", 1)
	tag := h.get(t, "/events", h.ada).Header.Get("Etag")
	h.Clock.Advance(31 * 24 * time.Hour)
	fresh := h.add(t, "ada/own", "ada", 1)
	list := h.list(t, "/events", h.ada)
	if len(list) != 1 || conformance.Text(t, list[0], "id") != fresh {
		t.Errorf("got %v, want %s alone and not %s", list, fresh, old)
	}
	h.Clock.Advance(31 * 24 * time.Hour)
	if list := h.list(t, "/events", h.ada); len(list) != 0 {
		t.Errorf("after another month: got %v", list)
	}
	h.get(t, "/events", h.ada, "If-None-Match", tag).Want(t, http.StatusOK)
}

func latency(t *testing.T, open opener) {
	h := openForge(t, open, func(c *app.Config) { c.Events.Latency = 30 * time.Second })
	h.repo(t, "ada/own", false)
	if list := h.list(t, "/events", h.ada); len(list) != 0 {
		t.Errorf("before the latency has passed: got %v", list)
	}
	tag := h.get(t, "/events", h.ada).Header.Get("Etag")
	h.Clock.Advance(31 * time.Second)
	h.get(t, "/events", h.ada, "If-None-Match", tag).Want(t, http.StatusOK)
	if list := h.list(t, "/events", h.ada); len(list) != 1 {
		t.Errorf("after the latency: got %v, want one event", list)
	}
}

func tokenKinds(t *testing.T, h *forgeServer) {
	client := h.Command(t, "client add", map[string][]string{"name": {"App"}, "type": {"app"}, "org": {"lyceum"}})
	id, _ := client["client_id"].(string)
	for kind, values := range conformance.InOrder(map[string]map[string][]string{
		"personal":     {"user": {"ada"}},
		"installation": {"client": {id}},
		"personal ":    {"user": {"ada"}, "client": {id}},
	}) {
		values["service"], values["kind"] = []string{"events"}, []string{strings.TrimSpace(kind)}
		token, _ := h.Command(t, "token issue", values)["token"].(string)
		h.get(t, "/events", token).Want(t, http.StatusOK)
		h.get(t, "/repos/lyceum/hidden/events", token).Want(t, http.StatusOK)
	}
}
