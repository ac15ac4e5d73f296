package conformance_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/test/conformance"
)

const lyceum = "lyceum.localhost"

// articleServer is a server with tokens by user and scope.
type articleServer struct {
	h                          *conformance.Server
	ada, grace, reader, writer string
	// teamReader may read the team only.
	teamReader string
}

// TestArticles proves what the article service keeps.
func TestArticles(t *testing.T) {
	t.Parallel()
	conformance.On(t, func(t *testing.T, open func(*testing.T, conformance.Options) *conformance.Server) {
		h := open(t, conformance.Options{})
		h.User(t, "ada")
		h.User(t, "grace")
		h.Command(t, "team add", map[string][]string{"name": {"lyceum"}, "owner": {"ada"}, "member": {"grace"}})
		d := articleServer{
			h: h, ada: h.Token(t, "ada", "articles"), grace: h.Token(t, "grace", "articles"), reader: h.Token(t,
				"ada", "articles", "read_svc"),
			writer: h.Token(t, "ada", "articles", "write_svc"), teamReader: h.Token(t, "ada", "articles",
				"read_svc_team"),
		}
		t.Run("items", func(t *testing.T) { articleItems(t, d) })
		t.Run("comments", func(t *testing.T) { articleComments(t, d) })
		t.Run("tags", func(t *testing.T) { articleTags(t, d) })
		t.Run("templates", func(t *testing.T) { articleTemplates(t, d) })
		t.Run("who may", func(t *testing.T) { articleRights(t, d) })
		t.Run("relations", func(t *testing.T) { articleRelations(t, d) })
		t.Run("rules", func(t *testing.T) { articleRules(t, d) })
		t.Run("team", func(t *testing.T) { articleTeam(t, d) })
		t.Run("paging", func(t *testing.T) { articlePaging(t, d) })
		t.Run("actions", func(t *testing.T) { articleActions(t, d) })
		t.Run("rates", func(t *testing.T) { articleRates(t, open) })
	})
}

func (d articleServer) call(t *testing.T, method, host, path, token, body string) *conformance.Answer {
	t.Helper()
	return d.h.Do(t, conformance.Call{Method: method, Host: host, Path: "/api/v2/" + path, Bearer: token, Body: body})
}

func (d articleServer) get(t *testing.T, host, path string) *conformance.Answer {
	t.Helper()
	return d.call(t, "GET", host, path, d.ada, "").Want(t, http.StatusOK)
}

// item writes an item and returns it.
func (d articleServer) item(t *testing.T, host, title string, tags ...string) map[string]any {
	t.Helper()
	var list []string
	for _, tag := range tags {
		list = append(list, fmt.Sprintf(`{"name":%q,"versions":["1.0"]}`, tag))
	}
	body := fmt.Sprintf(`{"title":%q,"body":"# Title\n\ntext","tags":[%s]}`, title, strings.Join(list, ","))
	return d.call(t, "POST", host, "items", d.ada, body).Want(t, http.StatusCreated).Object(t)
}

// rows decodes a list.
func rows(t *testing.T, a *conformance.Answer) []map[string]any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(a.Body))
	d.UseNumber()
	var list []map[string]any
	if err := d.Decode(&list); err != nil {
		t.Fatalf("%v is not a list: %v", a, err)
	}
	return list
}

// member collects one member of each row.
func member(t *testing.T, list []map[string]any, name string) []string {
	t.Helper()
	var out []string
	for _, row := range list {
		out = append(out, conformance.Text(t, row, name))
	}
	return out
}

func wantOrder(t *testing.T, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("order: got %v, want %v", got, want)
	}
}

func wantUser(t *testing.T, user map[string]any) {
	t.Helper()
	conformance.Only(t, user, "description", "social_a_id", "social_b_id", "social_c_screen_name",
		"code_host_login_name", "location", "name",
		"organization", "website_url", "followees_count", "followers_count", "items_count",
		"permanent_id", "id", "profile_image_url", "team_only")
	for _, name := range []string{"followees_count", "followers_count", "items_count", "permanent_id"} {
		conformance.Integer(t, user, name)
	}
	conformance.Text(t, user, "profile_image_url")
	if _, ok := user["team_only"].(bool); !ok || conformance.Text(t, user, "id") == "" {
		t.Errorf("user = %v", user)
	}
}

func wantTimes(t *testing.T, object map[string]any, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := time.Parse(time.RFC3339, conformance.Text(t, object, name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func articleItems(t *testing.T, d articleServer) {
	first := d.item(t, "", "First", "Go")
	second := d.item(t, "", "Second", "Go", "SQL")
	t.Run("F-04", func(t *testing.T) {
		wantUser(t, conformance.Sub(t, second, "user"))
		wantUser(t, d.get(t, "", "users/ada").Object(t))
		articleRefused(t, d.call(t, "GET", "", "users/unknown", d.ada, ""), http.StatusNotFound, "not_found")
	})
	t.Run("F-05", func(t *testing.T) {
		count := func() int64 {
			return conformance.Integer(t, d.get(t, "", "authenticated_user").Object(t), "items_count")
		}
		before := count()
		d.item(t, lyceum, "For the team")
		if got := count(); got != before {
			t.Errorf("items_count after a team item: got %d, want %d", got, before)
		}
		gone := d.item(t, "", "Public", "Go")
		if got := count(); got != before+1 {
			t.Errorf("items_count after a public item: got %d, want %d", got, before+1)
		}
		d.call(t, "DELETE", "", "items/"+conformance.Text(t, gone, "id"), d.ada, "").Want(t, http.StatusNoContent)
		if got := count(); got != before {
			t.Errorf("items_count after its end: got %d, want %d", got, before)
		}
	})
	t.Run("F-07", func(t *testing.T) {
		item := rows(t, d.get(t, "", "users/ada/items"))[0]
		conformance.Only(t, item, "id", "title", "url", "body", "rendered_body", "coediting", "private", "slide",
			"comments_count", "likes_count",
			"reactions_count", "stocks_count", "page_views_count", "created_at", "updated_at", "tags",
			"user", "group", "team_membership", "organization_url_name")
		if got := conformance.Text(t, item, "rendered_body"); !strings.Contains(got, "<h1") ||
			!strings.Contains(got, "Title") {
			t.Errorf("rendered_body: got %q", got)
		}
		wantTimes(t, item, "created_at", "updated_at")
		tags := item["tags"].([]any)
		if len(tags) != 2 || fmt.Sprint(tags[0]) != "map[name:Go versions:[1.0]]" {
			t.Errorf("tags: got %v", tags)
		}
		for _, name := range []string{"comments_count", "likes_count", "reactions_count", "stocks_count",
			"page_views_count"} {
			conformance.Integer(t, item, name)
		}
		team := d.item(t, lyceum, "Of the team")
		conformance.Text(t, team, "team_membership", "name")
	})
	t.Run("F-24", func(t *testing.T) {
		team := d.item(t, lyceum, "Only here")
		for host, want := range conformance.InOrder(map[string]int{lyceum: 200, "": 404}) {
			d.call(t, "GET", host, "items/"+conformance.Text(t, team, "id"), d.ada, "").Want(t, want)
		}
		d.call(t, "GET", lyceum, "items/"+conformance.Text(t, first, "id"), d.ada, "").Want(t, http.StatusNotFound)
	})
	t.Run("F-48", func(t *testing.T) {
		wantOrder(t, member(t, rows(t, d.get(t, "", "users/ada/items")), "title"), "Second", "First")
		articleRefused(t, d.call(t, "GET", "", "users/unknown/items", "", ""), http.StatusNotFound, "not_found")
	})
}

func articleComments(t *testing.T, d articleServer) {
	id := conformance.Text(t, d.item(t, "", "Discussed", "Talk"), "id")
	path := "items/" + id + "/comments"
	say := func(text string) map[string]any {
		return d.call(t, "POST", "", path, d.grace, fmt.Sprintf(`{"body":%q}`, text)).Want(t,
			http.StatusCreated).Object(t)
	}
	one := say("*one*")
	at := "comments/" + conformance.Text(t, one, "id")
	t.Run("F-01", func(t *testing.T) {
		for _, id := range []string{id, conformance.Text(t, one, "id")} {
			if !regexp.MustCompile(`^[0-9a-f]{20}$`).MatchString(id) {
				t.Errorf("id: got %q, want 20 hexadecimal characters", id)
			}
		}
	})
	t.Run("F-03", func(t *testing.T) { wantTimes(t, one, "created_at", "updated_at") })
	t.Run("F-09", func(t *testing.T) {
		c := d.get(t, "", at).Object(t)
		conformance.Only(t, c, "id", "body", "rendered_body", "created_at", "updated_at", "user")
		wantUser(t, conformance.Sub(t, c, "user"))
		if conformance.Text(t, c, "body") != "*one*" ||
			!strings.Contains(conformance.Text(t, c, "rendered_body"), "<em>one</em>") {
			t.Errorf("comment = %v", c)
		}
	})
	t.Run("F-39", func(t *testing.T) {
		d.get(t, "", at)
		articleRefused(t, d.call(t, "GET", "", "comments/00000000000000000000", "", ""), http.StatusNotFound,
			"not_found")
		articleRefused(t, d.call(t, "GET", lyceum, at, d.ada, ""), http.StatusNotFound, "not_found")
	})
	t.Run("F-40", func(t *testing.T) {
		c := d.call(t, "PATCH", "", at, d.grace, `{"body":"changed"}`).Want(t, http.StatusOK).Object(t)
		if conformance.Text(t, c, "body") != "changed" ||
			conformance.Text(t, d.get(t, "", at).Object(t), "body") != "changed" {
			t.Errorf("comment = %v", c)
		}
		articleRefused(t, d.call(t, "PATCH", "", at, d.grace, `{}`), http.StatusBadRequest, "bad_request")
		articleRefused(t, d.call(t, "PATCH", "", at, d.ada, `{"body":"mine"}`), http.StatusForbidden, "forbidden")
	})
	t.Run("F-42", func(t *testing.T) {
		say("two")
		wantOrder(t, member(t, rows(t, d.get(t, "", path)), "body"), "two", "changed")
	})
	t.Run("F-43", func(t *testing.T) {
		say("three")
		articleRefused(t, d.call(t, "POST", "", path, d.grace, `{}`), http.StatusBadRequest, "bad_request")
		articleRefused(t, d.call(t, "POST", "", "items/00000000000000000000/comments", d.grace, `{"body":"x"}`),
			http.StatusNotFound, "not_found")
		if got := conformance.Integer(t, d.get(t, "", "items/"+id).Object(t), "comments_count"); got != 3 {
			t.Errorf("comments_count: got %d, want 3", got)
		}
	})
	t.Run("F-41", func(t *testing.T) {
		articleRefused(t, d.call(t, "DELETE", "", at, d.ada, ""), http.StatusForbidden, "forbidden")
		d.call(t, "DELETE", "", at, d.grace, "").Want(t, http.StatusNoContent)
		articleRefused(t, d.call(t, "GET", "", at, "", ""), http.StatusNotFound, "not_found")
	})
	t.Run("F-73", func(t *testing.T) {
		articleRefused(t, d.call(t, "GET", "", at, "", ""), http.StatusNotFound, "not_found")
	})
}

func articleTags(t *testing.T, d articleServer) {
	for _, tags := range [][]string{{"zeta"}, {"Alpha", "zeta"}, {"C#"}} {
		d.item(t, lyceum, "Tagged "+tags[0], tags...)
	}
	names := func(query string) []string { return member(t, rows(t, d.get(t, lyceum, "tags"+query)), "id") }
	t.Run("F-14", func(t *testing.T) {
		tag := d.get(t, lyceum, "tags/alpha").Object(t)
		conformance.Only(t, tag, "id", "followers_count", "icon_url", "items_count")
		if conformance.Text(t, tag, "id") != "Alpha" || conformance.Integer(t, tag, "items_count") != 1 ||
			conformance.Integer(t, tag, "followers_count") != 0 {
			t.Errorf("tag = %v", tag)
		}
	})
	t.Run("F-45", func(t *testing.T) {
		wantOrder(t, names(""), "C#", "Alpha", "zeta")
		wantOrder(t, names("?sort=count"), "zeta", "C#", "Alpha")
		wantOrder(t, names("?sort=name"), "Alpha", "C#", "zeta")
		wantOrder(t, names("?sort=name&per_page=1&page=2"), "C#")
		articleRefused(t, d.call(t, "GET", lyceum, "tags?sort=size", d.ada, ""), http.StatusBadRequest, "bad_request")
	})
	t.Run("F-46", func(t *testing.T) {
		if got := conformance.Text(t, d.get(t, lyceum, "tags/C%23").Object(t), "id"); got != "C#" {
			t.Errorf("id: got %q, want C#", got)
		}
		articleRefused(t, d.call(t, "GET", lyceum, "tags/nothing", d.ada, ""), http.StatusNotFound, "not_found")
	})
	t.Run("F-47", func(t *testing.T) {
		old := conformance.Text(t, d.item(t, lyceum, "Old", "first"), "id")
		d.item(t, lyceum, "New", "late")
		d.call(t, "PATCH", lyceum, "items/"+old, d.ada, `{"tags":[{"name":"late"},{"name":"first"}]}`).Want(t,
			http.StatusOK)
		wantOrder(t, member(t, rows(t, d.get(t, lyceum, "tags/late/items")), "title"), "Old", "New")
		wantOrder(t, member(t, rows(t, d.get(t, lyceum, "tags/late/items?per_page=1&page=2")), "title"), "New")
	})
}

// template keeps a template in the team and returns it.
func (d articleServer) template(t *testing.T) map[string]any {
	t.Helper()
	return d.call(t, "POST", lyceum, "templates", d.ada,
		`{"name":"Diary","title":"%{Year}/%{month}/%{day}","body":"By %{me}, %{unknown}",`+
			`"tags":[{"name":"diary/%{Year}","versions":[]}]}`).
		Want(t, http.StatusCreated).Object(t)
}

func articleTemplates(t *testing.T, d articleServer) {
	made := d.template(t)
	at := "templates/" + fmt.Sprint(conformance.Integer(t, made, "id"))
	t.Run("F-19", func(t *testing.T) {
		p := d.get(t, lyceum, at).Object(t)
		conformance.Only(t, p, "id", "name", "title", "body", "expanded_title", "expanded_body", "tags",
			"expanded_tags", "group", "coedit")
		for name, want := range conformance.InOrder(map[string]string{
			"title": "%{Year}/%{month}/%{day}", "expanded_title": conformance.Began().Format("2006/01/02"),
			"body": "By %{me}, %{unknown}", "expanded_body": "By ada, %{unknown}",
		}) {
			if got := conformance.Text(t, p, name); got != want {
				t.Errorf("%s: got %q, want %q", name, got, want)
			}
		}
		year := conformance.Began().Format("2006")
		want := "[map[name:diary/%{Year} versions:[]]] [map[name:diary/" + year + " versions:[]]]"
		if got := fmt.Sprint(p["tags"], p["expanded_tags"]); got != want {
			t.Errorf("tags: got %s", got)
		}
	})
	t.Run("F-60", func(t *testing.T) {
		if list := rows(t, d.get(t, lyceum, "templates?page=1&per_page=10")); len(list) != 1 {
			t.Errorf("templates: got %v, want one", list)
		}
		articleRefused(t, d.call(t, "GET", "", "templates", d.ada, ""), http.StatusNotFound, "not_found")
	})
	t.Run("F-61", func(t *testing.T) {
		if got := conformance.Text(t, d.get(t, lyceum, at).Object(t), "name"); got != "Diary" {
			t.Errorf("name: got %q", got)
		}
	})
	t.Run("F-62", func(t *testing.T) {
		d.call(t, "DELETE", lyceum, at, d.ada, "").Want(t, http.StatusNoContent)
		articleRefused(t, d.call(t, "GET", lyceum, at, d.ada, ""), http.StatusNotFound, "not_found")
	})
}

func articleRights(t *testing.T, d articleServer) {
	id := conformance.Text(t, d.item(t, "", "Guarded", "Go"), "id")
	comments, template := "items/"+id+"/comments", "templates/"+fmt.Sprint(conformance.Integer(t, d.template(t), "id"))
	t.Run("F-65", func(t *testing.T) {
		articleRefused(t, d.call(t, "GET", lyceum, "templates", "", ""), http.StatusUnauthorized, "unauthorized")
		articleRefused(t, d.call(t, "POST", "", comments, "", `{"body":"x"}`), http.StatusUnauthorized, "unauthorized")
	})
	t.Run("F-66", func(t *testing.T) {
		for _, path := range []string{"tags", "tags/go", "items", "items/" + id, comments, "users/ada/items"} {
			d.call(t, "GET", "", path, "", "").Want(t, http.StatusOK)
		}
	})
	t.Run("F-69", func(t *testing.T) {
		articleRefused(t, d.call(t, "POST", "", comments, d.reader, `{"body":"x"}`), http.StatusForbidden, "forbidden")
		d.call(t, "POST", "", comments, d.writer, `{"body":"x"}`).Want(t, http.StatusCreated)
	})
	t.Run("F-70", func(t *testing.T) {
		articleRefused(t, d.call(t, "DELETE", lyceum, template, d.teamReader, ""), http.StatusForbidden, "forbidden")
		articleRefused(t, d.call(t, "DELETE", lyceum, template, d.writer, ""), http.StatusForbidden, "forbidden")
		d.get(t, lyceum, template)
		d.call(t, "DELETE", lyceum, template, d.h.Token(t, "ada", "articles", "write_svc_team"), "").Want(t,
			http.StatusNoContent)
	})
}
