package articles_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/route"
)

// onBoth runs fn on a server of each database.
func onBoth(t *testing.T, fn func(t *testing.T, s *testServer)) {
	t.Helper()
	t.Parallel()
	for name, url := range map[string]func(*testing.T) string{"sqlite": func(*testing.T) string { return "" },
		"postgres": func(t *testing.T) string { return identitytest.PostgresURL(t) }} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, url(t))
			s.t = t
			fn(t, s)
		})
	}
}

// want calls and compares the status.
func (s *testServer) want(status int, method, host, path, body, token string) map[string]any {
	s.t.Helper()
	w := s.call(method, host, "/api/v2/"+path, body, token)
	if w.Code != status {
		s.t.Fatalf("%s %s: %d %s, want %d", method, path, w.Code, w.Body, status)
	}
	var out map[string]any
	_ = json.Unmarshal(w.Body.Bytes(), &out)
	return out
}

// titles lists what a list shows.
func (s *testServer) titles(host, path, member, token string) string {
	s.t.Helper()
	w := s.call("GET", host, "/api/v2/"+path, "", token)
	var list []map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil {
		s.t.Fatalf("%s: %d %s", path, w.Code, w.Body)
	}
	var out []string
	for _, row := range list {
		out = append(out, fmt.Sprint(row[member]))
	}
	return strings.Join(out, " ")
}

const teamHost = "lyceum.localhost"

// TestPrivateGroups: what is in a private group is its members' and the
// managers' of the team.
func TestPrivateGroups(t *testing.T) {
	onBoth(t, func(t *testing.T, s *testServer) {
		for _, name := range []string{"alan", "kurt"} {
			if err := s.Identity.SetTeamMember(t.Context(), s.teams["lyceum"].ID, s.User(name).ID,
				identity.TeamMember); err != nil {
				t.Fatal(err)
			}
		}
		scopes := []string{"read_svc_team", "write_svc_team"}
		ada, alan, kurt := s.token("ada", "", scopes...), s.token("alan", "", scopes...), s.token("kurt", "", scopes...)
		s.want(201, "POST", teamHost, "groups", `{"url_name":"secret","name":"Secret","private":true}`, alan)
		s.want(400, "POST", teamHost, "groups", `{"url_name":"secret","name":"Again"}`, kurt)
		id := fmt.Sprint(s.want(201, "POST", teamHost, "items",
			`{"title":"Hidden","body":"whisper","tags":[{"name":"Quiet"}],"group_url_name":"secret"}`, alan)["id"])
		s.want(201, "POST", teamHost, "items", `{"title":"Open","body":"shout","tags":[{"name":"Quiet"}]}`, alan)
		s.want(400, "POST", teamHost, "items", `{"title":"x","body":"y","tags":[],"group_url_name":"secret"}`, kurt)
		template := s.want(201, "POST", teamHost, "templates",
			`{"name":"n","title":"t","body":"b","tags":[],"group_url_name":"secret"}`, alan)
		s.want(204, "PUT", teamHost, "items/"+id+"/stock", "", alan)
		lists := map[string][2]string{
			"items": {"Open Hidden", "Open"}, "tags/quiet/items": {"Open Hidden",
				"Open"}, "users/alan/items": {"Open Hidden", "Open"}, "users/alan/stocks": {"Hidden", ""},
			"items?query=whisper": {"Hidden", ""}, "items?query=-shout": {"Hidden",
				""}, "items?query=whisper+OR+shout": {"Open Hidden", "Open"},
			"items?query=stocks:>=1": {"Hidden", ""}, "items/reactions": {"Open Hidden",
				"Open"}, "items?query=group:secret": {"Hidden", ""},
		}
		for path, want := range lists {
			for who, row := range map[string]struct{ token, want string }{"member": {alan, want[0]},
				"owner": {ada, want[0]}, "outsider": {kurt, want[1]}} {
				if got := s.titles(teamHost, path, "title", row.token); got != row.want {
					t.Errorf("%s for the %s: got %q, want %q", path, who, got, row.want)
				}
			}
		}
		for _, path := range []string{"items/" + id, "items/" + id + "/comments", "items/" + id + "/reactions",
			"groups/secret", "groups/secret/members", fmt.Sprintf("templates/%v", template["id"])} {
			s.want(404, "GET", teamHost, path, "", kurt)
		}
		s.want(404, "POST", teamHost, "items/"+id+"/comments", `{"body":"x"}`, kurt)
		s.want(404, "PATCH", teamHost, "groups/secret", `{"private":false}`, kurt)
		s.want(403, "DELETE", teamHost, "groups/secret", "", alan)
		s.want(400, "POST", teamHost, "groups/secret/members", `{"identities":["unknown"]}`, alan)
		s.want(400, "POST", teamHost, "groups/secret/members", `{"identities":[]}`, alan)
		s.want(201, "POST", teamHost, "groups/secret/members", `{"identities":["kurt"]}`, alan)
		s.want(200, "GET", teamHost, "items/"+id, "", kurt)
		if got := s.titles(teamHost, "groups/secret/members", "id", kurt); got != "alan kurt" {
			t.Errorf("members: %q", got)
		}
		s.want(200, "GET", teamHost, "groups/secret/members/kurt", "", alan)
		s.want(404, "GET", teamHost, "groups/secret/members/ada", "", alan)
		s.want(204, "DELETE", teamHost, "groups/secret/members", `{"identities":["kurt"]}`, ada)
		s.want(404, "GET", teamHost, "items/"+id, "", kurt)
		if got := s.want(200, "PATCH", teamHost, "groups/secret", `{"private":false,"name":"Open now"}`,
			alan); got["name"] != "Open now" || got["private"] != false {
			t.Errorf("group = %v", got)
		}
		if item := s.want(200, "GET", teamHost, "items/"+id, "",
			kurt); item["group"].(map[string]any)["name"] != "Open now" {
			t.Errorf("group of the item = %v", item["group"])
		}
		s.want(204, "DELETE", teamHost, "groups/secret", "", alan)
		if item := s.want(200, "GET", teamHost, "items/"+id, "", kurt); item["group"] != nil {
			t.Errorf("after the group's end: %v", item["group"])
		}
	})
}

func TestTemplatesChangeAndExpand(t *testing.T) {
	onBoth(t, func(t *testing.T, s *testServer) {
		ada := s.token("ada", "", "read_svc_team", "write_svc_team")
		made := s.want(201, "POST", teamHost, "templates",
			`{"name":"n","title":"%{Year}","body":"b","tags":[{"name":"a"}]}`, ada)
		path := fmt.Sprintf("templates/%v", made["id"])
		changed := s.want(200, "PATCH", teamHost, path, `{"title":"%{month} %{nothing}","tags":[{"name":"%{Year}"}]}`,
			ada)
		if changed["expanded_title"] != "03 %{nothing}" || changed["body"] != "b" ||
			fmt.Sprint(changed["expanded_tags"]) != "[map[name:2026 versions:[]]]" {
			t.Errorf("changed = %v", changed)
		}
		s.want(400, "PATCH", teamHost, path, `{"title":""}`, ada)
		s.want(404, "PATCH", teamHost, "templates/99999", `{"title":"x"}`, ada)
		got := s.want(201, "POST", teamHost, "expanded_templates",
			`{"title":"%{Year}/%{month}/%{day}","body":"by %{me}","tags":[]}`, ada)
		if got["expanded_title"] != "2026/03/04" || got["expanded_body"] != "by ada" {
			t.Errorf("expanded = %v", got)
		}
		s.want(400, "POST", teamHost, "expanded_templates", `{"body":"b"}`, ada)
	})
}

func TestFollowingUsers(t *testing.T) {
	onBoth(t, func(t *testing.T, s *testServer) {
		ada, grace := s.token("ada", "", "read_svc", "write_svc"), s.token("grace", "", "read_svc", "write_svc")
		s.want(404, "GET", "localhost", "users/grace/following", "", ada)
		for range 2 {
			s.want(204, "PUT", "localhost", "users/grace/following", "", ada)
		}
		s.want(204, "PUT", "localhost", "users/ada/following", "", grace)
		s.want(204, "GET", "localhost", "users/grace/following", "", ada)
		s.want(403, "PUT", "localhost", "users/ada/following", "", ada)
		s.want(404, "PUT", "localhost", "users/unknown/following", "", ada)
		if u := s.want(200, "GET", "localhost", "users/ada", "", ada); u["followers_count"] != 1.0 ||
			u["followees_count"] != 1.0 {
			t.Errorf("ada = %v", u)
		}
		if got := s.titles("localhost", "users/ada/followees", "id", ada) + s.titles("localhost",
			"users/grace/followers", "id", ada); got != "graceada" {
			t.Errorf("followees and followers: %q", got)
		}
		s.want(204, "DELETE", "localhost", "users/grace/following", "", ada)
		s.want(204, "DELETE", "localhost", "users/grace/following", "", ada)
		if u := s.want(200, "GET", "localhost", "users/grace", "", ada); u["followers_count"] != 0.0 ||
			u["followees_count"] != 1.0 {
			t.Errorf("grace = %v", u)
		}
		// A user who has published nothing is in no list, and not there without a token.
		for _, private := range []string{"true", "false"} {
			want := map[string]string{"true": "", "false": "ada"}[private]
			s.want(201, "POST", "localhost", "items",
				`{"title":"t","body":"b","tags":[{"name":"go"}],"private":`+private+`}`, ada)
			if got := s.titles("localhost", "users", "id", ""); got != want {
				t.Errorf("users after an item with private %s: %q, want %q", private, got, want)
			}
			for path, status := range map[string]int{"users/ada": map[string]int{"true": 404, "false": 200}[private],
				"users/grace": 404, "users/grace/followees": 404} {
				if got := s.call("GET", "localhost", "/api/v2/"+path, "", "").Code; got != status {
					t.Errorf("%s after an item with private %s: %d, want %d", path, private, got, status)
				}
			}
		}
		name := "Ada L."
		s.want(200, "GET", "localhost", "users/ada", "", ada)
		if _, err := s.Identity.UpdateUser(t.Context(), s.User("ada").ID,
			identity.UserChange{DisplayName: &name}); err != nil {
			t.Fatal(err)
		}
		if u := s.want(200, "GET", "localhost", "users/ada", "", ada); u["name"] != name {
			t.Errorf("after a change of name: %v", u["name"])
		}
	})
}

// page reads a page as a browser in which the user, if any, is signed in.
func (s *testServer) page(host, path string, user *identity.User) *httptest.ResponseRecorder {
	s.reader = user
	return s.Call("GET", "https://"+host+path, "")
}

func TestPages(t *testing.T) {
	onBoth(t, func(t *testing.T, s *testServer) {
		ada := s.token("ada", "", "read_svc", "write_svc", "read_svc_team", "write_svc_team")
		item := s.want(201, "POST", "localhost", "items",
			`{"title":"<b>T</b>","body":"*x* <script>alert(1)</script>","tags":[{"name":"C#"}]}`, ada)
		hidden := s.want(201, "POST", "localhost", "items",
			`{"title":"Mine","body":"x","private":true,"tags":[{"name":"C#"}]}`, ada)
		inTeam := s.want(201, "POST", teamHost, "items", `{"title":"Ours","body":"x","tags":[]}`, ada)
		path := func(i map[string]any) string {
			_, rest, _ := strings.Cut(fmt.Sprint(i["url"]), "stoa.test")
			if rest == "" {
				_, rest, _ = strings.Cut(fmt.Sprint(i["url"]), teamHost)
			}
			return rest
		}
		user, other := s.User("ada"), s.User("grace")
		for _, row := range []struct {
			host, path string
			who        *identity.User
			want       int
			holds      string
		}{
			{"localhost", path(item), nil, 200, "<em>x</em>"},
			{"localhost", path(item), nil, 200, "&lt;b&gt;T&lt;/b&gt;"},
			{"localhost", "/articles", nil, 200, path(item)},
			{"localhost", "/articles/tags/c%23", nil, 200, path(item)},
			{"localhost", "/articles/ada", nil, 200, path(item)},
			{"localhost", "/articles?query=x", nil, 200, path(item)},
			{"localhost", "/articles?query=nothingatall", nil, 200, "Nothing was found"},
			{"localhost", "/articles?page=0", nil, 400, ""},
			{"localhost", path(hidden), &other, 200, "for those who know the address"},
			{"localhost", path(hidden), &user, 200, "for those who know the address"},
			{"localhost", strings.Replace(path(item), "ada", "grace", 1), nil, 404, ""},
			{"localhost", "/articles/unknown", nil, 404, ""},
			{"localhost", "/articles/tags/none", nil, 404, ""},
			{"localhost", path(inTeam), &user, 404, ""},
			{"localhost", "/articles/a/b/c/d", nil, 404, ""},
			{teamHost, path(inTeam), nil, 303, ""},
			{teamHost, path(inTeam), &other, 403, ""},
			{teamHost, path(inTeam), &user, 200, "Ours"},
			{teamHost, "/", &user, 200, "Ours"},
			{"closed.localhost", "/", &user, 403, ""},
			{"none.localhost", "/articles", &user, 404, ""},
		} {
			w := s.page(row.host, row.path, row.who)
			if w.Code != row.want || !strings.Contains(w.Body.String(), row.holds) {
				t.Errorf("%s%s: %d %.400s, want %d and %q", row.host, row.path, w.Code, w.Body, row.want, row.holds)
			}
			if strings.Contains(w.Body.String(), "<script") ||
				(row.who == nil && strings.Contains(w.Body.String(), "Mine")) {
				t.Errorf("%s%s shows what it must not: %s", row.host, row.path, w.Body)
			}
		}
	})
}

// TestPageViews are counted in memory, shown at once and written by the job.
func TestPageViews(t *testing.T) {
	onBoth(t, func(t *testing.T, s *testServer) {
		ada := s.token("ada", "", "read_svc", "write_svc")
		item := s.want(201, "POST", "localhost", "items", `{"title":"T","body":"x","tags":[{"name":"Go"}]}`, ada)
		id := fmt.Sprint(item["id"])
		user := s.User("ada")
		writes := s.World.DB.Stats()
		for range 3 {
			s.page("localhost", "/articles/ada/items/"+id, nil)
		}
		s.page("localhost", "/articles/ada/items/"+id, &user)
		if after := s.World.DB.Stats(); after.Commits != writes.Commits {
			t.Errorf("reading wrote %d times", after.Commits-writes.Commits)
		}
		count := func() any { return s.want(200, "GET", "localhost", "items/"+id, "", ada)["page_views_count"] }
		if got := count(); got != 3.0 {
			t.Errorf("before the job: %v views, want 3", got)
		}
		s.Clock.Advance(2 * time.Minute)
		if err := s.World.Jobs.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.page("localhost", "/articles/ada/items/"+id, nil)
		if got := count(); got != 4.0 {
			t.Errorf("after the job: %v views, want 4", got)
		}
		if err := s.Module.Close(); err != nil {
			t.Fatal(err)
		}
		var stored int64
		if err := s.World.DB.QueryRow(t.Context(), `SELECT page_views FROM articles_items WHERE id = $1`,
			id).Scan(&stored); err != nil || stored != 4 {
			t.Errorf("stored after the end: %d, %v, want 4", stored, err)
		}
	})
}

// TestRenderAgain makes what an older renderer left.
func TestRenderAgain(t *testing.T) {
	onBoth(t, func(t *testing.T, s *testServer) {
		ada := s.token("ada", "", "read_svc", "write_svc")
		id := fmt.Sprint(s.want(201, "POST", "localhost", "items",
			`{"title":"T","body":"*x*","tags":[{"name":"Go"}]}`, ada)["id"])
		comment := fmt.Sprint(s.want(201, "POST", "localhost", "items/"+id+"/comments", `{"body":"*y*"}`, ada)["id"])
		err := s.World.DB.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
			_, err := tx.Exec(t.Context(), `UPDATE articles_items SET rendered = 'old', renderer = 0`)
			_, again := tx.Exec(t.Context(), `UPDATE articles_comments SET rendered = 'old', renderer = 0`)
			_, third := tx.Exec(t.Context(), `DELETE FROM articles_search`)
			return errors.Join(err, again, third)
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Module.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		// The job that a process with another renderer left does not stand for the one of this.
		_, err = s.World.DB.Exec(t.Context(), `UPDATE stoa_jobs SET payload = $1, dedupe = $2 WHERE kind = $2`,
			[]byte(`{"version":0}`), "articles.render")
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Module.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := s.World.Jobs.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := s.want(200, "GET", "localhost", "items/"+id, "", "")["rendered_body"]; got != "<p><em>x</em></p>\n" {
			t.Errorf("item: %v", got)
		}
		if got := s.want(200, "GET", "localhost", "comments/"+comment, "",
			"")["rendered_body"]; got != "<p><em>y</em></p>\n" {
			t.Errorf("comment: %v", got)
		}
		if got := s.titles("localhost", "items?query=x", "title", ""); got != "T" {
			t.Errorf("search: %q", got)
		}
	})
}

// pages are plain enough to look into.
func (s *testServer) pages() identity.Pages {
	return identity.Pages{
		User: func(*route.Request) (*identity.User, error) { return s.reader, nil },
		Consent: func(a identity.Authorization) route.Handler {
			return func(w http.ResponseWriter, _ *route.Request) error {
				s.asked = &a
				w.WriteHeader(http.StatusOK)
				return nil
			}
		},
		Message: func(m identity.Message) route.Handler {
			return func(w http.ResponseWriter, _ *route.Request) error {
				w.WriteHeader(m.Status)
				return nil
			}
		},
		Page: func(make identity.PageFunc) route.Handler {
			return func(w http.ResponseWriter, r *route.Request) error {
				sheet, err := make(r, s.reader)
				if errors.Is(err, identity.ErrSignIn) {
					w.WriteHeader(http.StatusSeeOther)
					return nil
				}
				if err != nil {
					return err
				}
				_, err = fmt.Fprint(w, sheet.HTML)
				return err
			}
		},
	}
}
