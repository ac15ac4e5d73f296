package articles_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/routetest"
	"stoa.dev/stoa/internal/service/articles"
	"stoa.dev/stoa/internal/service/articles/site"
)

// matrixBodies are valid requests, so that only who asks decides.
func matrixBodies() map[string]string {
	return map[string]string{
		"items.create": `{"title":"T","body":"b","tags":[{"name":"Go"}]}`, "items.update": `{"title":"U"}`,
		"comments.create": `{"body":"x"}`, "comments.update": `{"body":"y"}`,
		"templates.create": `{"name":"n","title":"t","body":"b","tags":[]}`, "templates.update": `{"title":"u"}`,
		"expandedTemplates.create": `{"title":"t","body":"b","tags":[]}`, "taggings.create": `{"name":"new"}`,
		"reactions.create": `{"name":"heart"}`, "commentReactions.create": `{"name":"heart"}`,
		"groups.create": `{"url_name":"%d","name":"N"}`, "groups.update": `{"name":"M"}`,
		"groupMembers.create": `{"identities":["member"]}`, "groupMembers.delete": `{"identities":["member"]}`,
		"preview.create": `{"raw_body":"x"}`, "teamInvitations.create": `{"email":"x%d@example.com"}`,
	}
}

// matrix is a team with users of every kind, and their tokens.
type matrix struct {
	*testServer
	callers []matrixCaller
	n       int
}

type matrixCaller struct{ name, token string }

func newMatrix(t *testing.T) *matrix {
	m := &matrix{testServer: open(t, "")}
	team := m.teams["lyceum"].ID
	for name, role := range map[string]identity.TeamRole{"member": identity.TeamMember, "admin": identity.TeamAdmin,
		"victim": identity.TeamMember} {
		if err := m.Identity.SetTeamMember(t.Context(), team, m.User(name).ID, role); err != nil {
			t.Fatal(err)
		}
	}
	issue := func(user string, ttl time.Duration, scopes ...string) string {
		return m.Issue(identity.IssueOptions{Kind: identity.KindAccess, Services: []string{articles.Name},
			Scopes: scopes, UserID: m.User(user).ID, TTL: ttl})
	}
	all := []string{site.ScopeRead, site.ScopeReadTeam, site.ScopeWrite, site.ScopeWriteTeam}
	expired, revoked := issue("ada", time.Minute, all...), issue("ada", 0, all...)
	m.Clock.Advance(time.Hour)
	if err := m.Identity.RevokeSecret(t.Context(), articles.Name, revoked); err != nil {
		t.Fatal(err)
	}
	m.callers = []matrixCaller{
		{"anonymous", ""},
		{"junk", strings.Repeat("0", 40)},
		{"expired", expired},
		{"revoked", revoked},
		{"no scope", m.Issue(identity.IssueOptions{Kind: identity.KindAccess, Services: []string{articles.Name},
			Scopes: []string{}, UserID: m.User("ada").ID})},
		{"outsider", issue("grace", 0, all...)},
		{"member", issue("member", 0, all...)},
		{"admin", issue("admin", 0, all...)},
		{"owner", issue("ada", 0, all...)},
	}
	return m
}

func (m *matrix) owner() string { return m.callers[len(m.callers)-1].token }

// make writes what a row needs, as the owner.
func (m *matrix) make(host, path, body, name string) string {
	m.t.Helper()
	w := m.call("POST", host, "/api/v2/"+path, body, m.owner())
	if w.Code != 201 {
		m.t.Fatalf("POST %s at %s: %d %s", path, host, w.Code, w.Body)
	}
	text := w.Body.String()
	if _, rest, ok := strings.Cut(text, `"id":`); ok && name == "number" {
		return strings.TrimRight(rest[:strings.IndexAny(rest, ",}")], " ")
	}
	return field(m.t, w.Body.Bytes(), "id")
}

// path fills a pattern with things that exist.
func (m *matrix) path(host string, r route.Route) string {
	m.n++
	item := m.make(host, "items", `{"title":"T","body":"b","tags":[{"name":"Go"}]}`, "id")
	pairs := []string{"{item_id}", item, "{tag_id}", "go", "{tagging_id}", "go", "{user_id}", "ada",
		"{reaction_name}", "heart", "{uuid}", "x", "{project_id}", "1", "{access_token}", strings.Repeat("1", 40)}
	if strings.Contains(r.Pattern, "{comment_id}") {
		pairs = append(pairs, "{comment_id}", m.make(host, "items/"+item+"/comments", `{"body":"x"}`, "id"))
	}
	if host != "localhost" && strings.Contains(r.Pattern, "{template_id}") {
		pairs = append(pairs, "{template_id}",
			m.make(host, "templates", `{"name":"n","title":"t","body":"b","tags":[]}`, "number"))
	}
	if host != "localhost" && strings.Contains(r.Pattern, "{url_name}") {
		name := fmt.Sprintf("group%d", m.n)
		m.make(host, "groups", `{"url_name":"`+name+`","name":"N"}`, "id")
		pairs = append(pairs, "{url_name}", name)
	}
	pairs = append(pairs, "{template_id}", "1", "{url_name}", "x")
	path := strings.NewReplacer(pairs...).Replace(r.Pattern)
	switch r.Name {
	case "teamMemberships.delete":
		path = "/api/v2/remove_team_member/victim"
	case "userFollowing.put", "userFollowing.delete", "userFollowing.get":
		path = "/api/v2/users/victim/following"
	}
	return path
}

func (m *matrix) ask(host, path string, r route.Route, c matrixCaller) *httptest.ResponseRecorder {
	body := matrixBodies()[r.Name]
	if strings.Contains(body, "%d") {
		m.n++
		body = fmt.Sprintf(body, m.n)
	}
	return m.call(r.Method, host, path, body, c.token)
}

// refusal is what the rules say before the operation is even looked at; 0 means
// that the operation itself answers.
func refusal(host string, r route.Route, caller string) int {
	team, write := host != "localhost", r.Method != "GET"
	need, edition := r.Tags["need"], r.Tags["edition"]
	known := caller != "anonymous"
	bad := caller == "junk" || caller == "expired" || caller == "revoked"
	switch {
	case bad && r.Access != route.Open:
		return 401
	case need == "nothing", need == "file":
		return 0
	case edition == "team" && !team, edition == "public" && team:
		return 404
	case team && !known, (write || need == "own") && !known:
		return 401
	case team && (caller == "outsider" || caller == "no scope"):
		return 403
	case caller == "no scope" && (write || need == "own"):
		return 403
	}
	return 0
}

// TestAuthorizationMatrix asks every operation as every kind of caller. The
// rules are stated here once more; the golden table holds what remains.
func TestAuthorizationMatrix(t *testing.T) {
	t.Parallel()
	m := newMatrix(t)
	var table strings.Builder
	names := []string{}
	for _, c := range m.callers {
		names = append(names, c.name)
	}
	fmt.Fprintf(&table, "%-28s %-7s %s\n", "operation", "edition", strings.Join(names, " | "))
	for _, r := range m.Module.Routes {
		if strings.HasPrefix(r.Name, "pages.") || strings.HasPrefix(r.Name, "oauth.") ||
			strings.Contains(r.Name, "ccessTokens.") {
			continue
		}
		for _, host := range []string{"localhost", "lyceum.localhost"} {
			path := m.path(host, r)
			edition := map[bool]string{true: "public", false: "team"}[host == "localhost"]
			fmt.Fprintf(&table, "%-28s %-7s", r.Name, edition)
			for _, c := range m.callers {
				w := m.ask(host, path, r, c)
				fmt.Fprintf(&table, " %d", w.Code)
				if want := refusal(host, r, c.name); want != 0 && w.Code != want {
					t.Errorf("%s at %s as %s: %d %s, want %d", r.Name, host, c.name, w.Code, w.Body, want)
				} else if want == 0 && (w.Code == 401 || w.Code >= 500) {
					t.Errorf("%s at %s as %s: %d %s", r.Name, host, c.name, w.Code, w.Body)
				}
				if w.Code >= 400 {
					kind(t, w)
				}
			}
			table.WriteByte('\n')
		}
	}
	routetest.Golden(t, "matrix", []byte(table.String()))
}
