package events_test

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route/routetest"
	"stoa.dev/stoa/internal/service/events"
)

// source makes a repository on this machine: three commits on main, the last renames a
// file, one on feature/x, an annotated tag and a plain one.
func source(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=Ada", "-c", "user.email=ada@example.com"}, args...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_AUTHOR_DATE=2026-03-01T10:00:00Z", "GIT_COMMITTER_DATE=2026-03-01T10:00:00Z",
			"GIT_CONFIG_GLOBAL=/dev/null")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		git("add", "-A")
	}
	git("init", "--quiet", "--initial-branch=main")
	write("README.md", "# Stoa\n")
	git("commit", "--quiet", "-m", "First")
	write("cmd/main.go", "package main\n\nfunc main() {}\n")
	write("a b/[x].txt", "odd\n")
	if err := os.Symlink("README.md", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	write("data.bin", "\x00\x01\x02")
	git("commit", "--quiet", "-m", "Second")
	git("tag", "-a", "v1.0", "-m", "The first release")
	git("mv", "cmd/main.go", "cmd/stoa.go")
	git("rm", "--quiet", "data.bin")
	git("commit", "--quiet", "-m", "Third\n\nWith a body.")
	git("tag", "v1.1")
	git("checkout", "--quiet", "-b", "feature/x", "HEAD~1")
	write("feature.txt", "x\n")
	git("commit", "--quiet", "-m", "Feature")
	git("checkout", "--quiet", "main")
	return dir
}

// filled is a repository with the content of source.
func (h *testServer) filled(t testing.TB, owner, name string, private bool) forge.Repository {
	t.Helper()
	r := h.repo(t, owner, name, private)
	if _, err := h.forge.Import(t.Context(), r, source(t), h.actor(owner)); err != nil {
		t.Fatalf("import: %v", err)
	}
	r, err := h.forge.Repository(t.Context(), r.ID)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// objects are calls of every operation that reads, of a repository ada/tree, and a
// part of what they answer.
func objects(t testing.TB, h *testServer, repo forge.Repository) [][2]string {
	t.Helper()
	c, err := h.forge.Commit(t.Context(), repo, "main")
	if err != nil {
		t.Fatal(err)
	}
	blob, err := h.forge.EntryAt(t.Context(), repo, c.SHA, "README.md")
	if err != nil {
		t.Fatal(err)
	}
	tag, err := h.forge.NamedRef(t.Context(), repo, "refs/tags/v1.0")
	if err != nil {
		t.Fatal(err)
	}
	at := "/repos/" + repo.FullName()
	return [][2]string{
		{at + "/branches", `"name":"feature/x"`},
		{at + "/branches/feature/x", `"message":"Feature"`},
		{at + "/tags", `"name":"v1.1","commit":{"sha":"` + c.SHA},
		{at + "/git/refs", `"ref":"refs/heads/main"`},
		{at + "/git/refs/tags", `"type":"tag"`},
		{at + "/git/matching-refs/heads/fea", `"ref":"refs/heads/feature/x"`},
		{at + "/git/ref/heads/main", `"type":"commit"`},
		{at + "/git/tags/" + tag.SHA, `"message":"The first release"`},
		{at + "/commits", `"message":"Third\n\nWith a body."`},
		{at + "/commits/main", `"previous_filename":"cmd/main.go"`},
		{at + "/git/commits/" + c.SHA, `"tree":{"sha":"` + c.Tree},
		{at + "/compare/feature/x...main", `"status":"diverged","ahead_by":1,"behind_by":1`},
		{at + "/contributors?anon=1", `"contributions":3`},
		{at + "/contents", `"name":"README.md"`},
		{at + "/contents/README.md", `"content":"IyBTdG9hCg==\n"`},
		{at + "/readme", `"path":"README.md"`},
		{at + "/git/trees/main", `"truncated":false`},
		{at + "/git/blobs/" + blob.SHA, `"encoding":"base64"`},
		{at + "/languages", `"Go":29`},
		{at + "/tarball", ""}, {at + "/tarball/v1.0", ""}, {at + "/zipball", ""}, {at + "/zipball/main", "README.md"},
		{"/raw/" + repo.FullName() + "/main/a%20b/%5Bx%5D.txt", "odd\n"},
		{at + "/stargazers", `"login":"grace"`}, {at + "/subscribers", `"login":"ada"`},
		{at + "/subscription", `"subscribed":true`}, {at + "/forks", `"full_name":"grace/tree"`},
		{at + "/collaborators", `"role_name":"admin"`}, {at + "/collaborators/ada", ""},
		{at + "/collaborators/ada/permission", `"permission":"admin"`}, {at + "/assignees", `"login":"ada"`},
		{at + "/comments", "[]"}, {at + "/commits/main/comments", "[]"}, {at + "/deployments", "[]"},
		{at + "/downloads", "[]"}, {at + "/hooks", "[]"}, {at + "/issues", "[]"}, {at + "/issues/comments", "[]"},
		{at + "/issues/events", "[]"}, {at + "/keys", "[]"}, {at + "/labels", "[]"}, {at + "/milestones", "[]"},
		{at + "/notifications", "[]"}, {at + "/pulls", "[]"}, {at + "/releases", "[]"},
		{at + "/statuses/" + c.SHA, "[]"}, {at + "/teams", "[]"},
		{"/user", `"type":"User"`}, {"/user/orgs", `"login":"lyceum"`}, {"/user/repos", `"full_name":"ada/tree"`},
		{"/user/subscriptions", `"full_name":"ada/tree"`}, {"/user/starred", `"full_name":"ada/tree"`},
		{"/user/starred/ada/tree", ""},
		{"/users/ada", `"login":"ada"`}, {"/users/ada/orgs", `"login":"lyceum"`},
		{"/users/ada/repos", `"full_name":"ada/tree"`}, {"/users/ada/starred", `"full_name":"ada/tree"`},
		{"/users/ada/subscriptions", `"full_name":"ada/tree"`},
		{"/users/ada/followers", "[]"}, {"/users/ada/following", "[]"}, {"/users/ada/gists", "[]"},
		{"/orgs/lyceum", `"type":"Organization"`}, {"/orgs/lyceum/repos", "["},
		{"/orgs/lyceum/members", `"login":"ada"`}, {"/orgs/lyceum/members/ada", ""},
		{"/orgs/lyceum/public_members", "[]"}, {"/orgs/lyceum/hooks", "[]"}, {"/orgs/lyceum/issues", "[]"},
		{"/avatars/o/1", "<svg"},
	}
}

// objectWorld is ada/tree, starred by both, forked by grace.
func objectWorld(t testing.TB, h *testServer) forge.Repository {
	t.Helper()
	repo := h.filled(t, "ada", "tree", false)
	for _, name := range []string{"grace", "ada"} {
		if err := h.forge.Star(t.Context(), repo.ID, h.actor(name)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := h.forge.Fork(t.Context(), repo.ID, "grace", "", h.actor("grace")); err != nil {
		t.Fatal(err)
	}
	return repo
}

func addOrg(t testing.TB, h *testServer, name, owner string) identity.Org {
	t.Helper()
	org, err := h.Identity.AddOrg(t.Context(), name, false)
	if err == nil {
		err = h.Identity.SetOrgMember(t.Context(), org.ID, h.User(owner).ID, identity.OrgOwner)
	}
	if err != nil {
		t.Fatal(err)
	}
	return org
}

// objectScenarios play every operation that reads, and again for something that is not
// there.
func objectScenarios(t testing.TB, h *testServer, ada string) []routetest.Scenario {
	t.Helper()
	var out []routetest.Scenario
	for _, call := range objects(t, h, objectWorld(t, h)) {
		status := http.StatusOK
		if call[1] == "" && !strings.Contains(call[0], "ball") {
			status = http.StatusNoContent
		}
		out = append(out, routetest.Scenario{
			Name: call[0], URL: call[0], Caller: ada, Status: status, Contains: []string{call[1]},
		})
		missing := strings.NewReplacer("ada/tree", "ada/none", "/users/ada", "/users/none", "/lyceum", "/none",
			"/avatars/o/1", "/avatars/o/x").Replace(call[0])
		again := routetest.Scenario{Name: "no " + call[0], URL: missing, Caller: ada, Status: http.StatusNotFound}
		if missing == call[0] {
			again.Caller, again.Status = "", http.StatusUnauthorized
		}
		out = append(out, again)
	}
	return out
}

var template = regexp.MustCompile(`\{[^}]*\}`)

// expand fills in a template as its names suggest.
func expand(address string) string {
	address = strings.NewReplacer("{archive_format}", "tarball", "{base}", "main", "{head}", "main",
		"/statuses/{sha}", "/statuses/main", "/git/blobs{/sha}", "/git/trees/main", "/git/commits{/sha}", "/git/commits/main",
		"/git/tags{/sha}", "/git/refs/tags", "/git/trees{/sha}", "/git/trees/main").Replace(address)
	return template.ReplaceAllString(address, "")
}

// collect finds the addresses in an answer. Those of pages and of git are not
// operations.
func collect(value any, name string, to map[string]bool) {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			if object, ok := inner.(map[string]any); ok && key == "html" && object["href"] != nil {
				continue // the address of a page
			}
			collect(inner, key, to)
		}
	case []any:
		for _, inner := range v {
			collect(inner, name, to)
		}
	case string:
		skipped := []string{
			"html_url", "html", "permalink_url", "blob_url", "clone_url", "git_url", "ssh_url", "svn_url", "message",
			"documentation_url", "ping_url",
		}
		rest, ok := strings.CutPrefix(v, "http://stoa.test")
		if ok && (!slices.Contains(skipped, name) || strings.Contains(v, "/repos/")) {
			to[expand(rest)] = true
		}
	}
}

// TestLinksLead follows every address of every answer, and those of the answers that
// they lead to. Below the second prefix the same answers have the same addresses, all
// with that prefix.
func TestLinksLead(t *testing.T) {
	run(t, generous(), func(t *testing.T, h *testServer) {
		addOrg(t, h, "lyceum", "ada")
		repo := objectWorld(t, h)
		empty := forge.NewRepository{Owner: "lyceum", Name: "empty", Private: true, Actor: h.actor("ada")}
		if _, err := h.forge.Create(t.Context(), empty); err != nil {
			t.Fatal(err)
		}
		if _, err := h.forge.SetMember(t.Context(), repo.ID, h.actor("mel"), forge.Read, h.actor("ada")); err != nil {
			t.Fatal(err)
		}
		token := h.Token("ada")
		discuss(t, h, "/repos/ada/tree", token)
		queue := []string{"/events", "/users/ada/events", "/users/ada/received_events", "/orgs/lyceum/events", "/rate_limit"}
		for _, call := range objects(t, h, repo) {
			queue = append(queue, call[0])
		}
		for _, call := range discussionCalls() {
			if call[0] == "GET" {
				queue = append(queue, "/repos/ada/tree"+call[1])
			}
		}
		for _, path := range queue {
			queue = append(queue, "/api/v3"+path)
		}
		seen := map[string]bool{}
		for len(queue) > 0 {
			path := queue[0]
			queue = queue[1:]
			if seen[path] || len(seen) > 3000 {
				continue
			}
			seen[path] = true
			asker := token
			if strings.HasPrefix(path, "/repos/grace/") && strings.Contains(path, "/hooks") {
				asker = h.Token("grace") // only who administers a repository sees its hooks
			}
			w := h.get(path, asker)
			if w.Code == http.StatusNotFound || w.Code >= http.StatusInternalServerError {
				t.Errorf("%s: %d %s", path, w.Code, w.Body)
			}
			var answer any
			if json.Unmarshal(w.Body.Bytes(), &answer) != nil {
				continue // a picture, a file, or nothing
			}
			found := map[string]bool{}
			collect(answer, "", found)
			for next := range found {
				if strings.HasPrefix(path, "/api/v3") && !strings.HasPrefix(next, "/api/v3") {
					t.Errorf("%s leads out of its prefix to %s", path, next)
				}
				if !strings.HasPrefix(path, "/api/v3") {
					queue = append(queue, next)
				}
			}
		}
		if len(seen) < 200 {
			t.Errorf("followed %d addresses, want more", len(seen))
		}
	})
}

// TestObjectPrivacy: private repositories show in no list and no object of others.
func TestObjectPrivacy(t *testing.T) {
	run(t, generous(), func(t *testing.T, h *testServer) {
		addOrg(t, h, "lyceum", "ada")
		secret := h.filled(t, "ada", "secret", true)
		h.repo(t, "ada", "open", false)
		fork, err := h.forge.Fork(t.Context(), secret.ID, "lyceum", "copy", h.actor("ada"))
		if err != nil {
			t.Fatal(err)
		}
		if err := h.forge.Star(t.Context(), secret.ID, h.actor("ada")); err != nil {
			t.Fatal(err)
		}
		if _, err := h.forge.SetMember(t.Context(), secret.ID, h.actor("mel"), forge.Read, h.actor("ada")); err != nil {
			t.Fatal(err)
		}
		ada, mel, zeno := h.Token("ada"), h.Token("mel"), h.Token("zeno")
		narrow := h.Token("ada", events.ScopeEventsRead)
		for _, row := range []struct{ path, sees, hidden string }{
			{"/users/ada/repos", "ada mel", "zeno narrow anonymous"},
			{"/users/ada/starred", "ada mel", "zeno narrow anonymous"},
			{"/users/ada/subscriptions", "ada mel", "zeno narrow anonymous"},
			{"/user/repos", "ada mel", "zeno narrow"},
			{"/user/starred", "ada", "mel zeno narrow"},
		} {
			for name, token := range map[string]string{
				"ada": ada, "mel": mel, "zeno": zeno, "narrow": narrow, "anonymous": "",
			} {
				w := h.get(row.path, token)
				shown := strings.Contains(w.Body.String(), `"ada/secret"`)
				if slices.Contains(strings.Fields(row.sees), name) != shown && strings.Contains(row.sees+row.hidden, name) {
					t.Errorf("%s asks for %s: shown %v: %d %s", name, row.path, shown, w.Code, w.Body)
				}
			}
		}
		at := "/repos/ada/secret"
		for _, path := range []string{
			at + "/commits", at + "/contents/README.md", at + "/stargazers", at + "/forks", at + "/pulls",
			at + "/branches", "/raw/ada/secret/main/README.md", "/user/starred/ada/secret",
		} {
			if w := h.get(path, zeno); w.Code != http.StatusNotFound {
				t.Errorf("%s: another user gets %d, want 404", path, w.Code)
			}
			if w := h.get(path, narrow); w.Code != http.StatusForbidden {
				t.Errorf("%s: a token without the permission gets %d, want 403", path, w.Code)
			}
		}
		if w := h.get(at+"/contents/README.md", h.Token("ada", forge.ScopeMetadataRead)); w.Code != http.StatusForbidden {
			t.Errorf("content without contents:read: got %d, want 403", w.Code)
		}
		if w := h.get(at+"/forks", mel); strings.Contains(w.Body.String(), fork.Name) {
			t.Errorf("a member sees a fork of an organization of others: %s", w.Body)
		}
		if w := h.get(at+"/collaborators", mel); w.Code != http.StatusForbidden {
			t.Errorf("collaborators for a reader: got %d, want 403", w.Code)
		}
	})
}

// TestAccountsAreNotListed: without a credential a user who shows nowhere is as one
// that is not there; memberships are for members.
func TestAccountsAreNotListed(t *testing.T) {
	t.Parallel()
	h := open(t, "", generous())
	addOrg(t, h, "lyceum", "ada")
	h.User("quiet")
	for _, rest := range []string{"", "/repos", "/starred", "/orgs", "/followers", "/subscriptions"} {
		one, two := h.get("/users/quiet"+rest, ""), h.get("/users/missing"+rest, "")
		if one.Code != http.StatusNotFound || two.Code != http.StatusNotFound || one.Body.String() != two.Body.String() {
			t.Errorf("%s: %d %s and %d %s, want the same 404", rest, one.Code, one.Body, two.Code, two.Body)
		}
	}
	if w := h.get("/users/quiet", h.Token("zeno")); w.Code != http.StatusOK {
		t.Errorf("with a credential: %d", w.Code)
	}
	h.repo(t, "quiet", "loud", false)
	if w := h.get("/users/quiet", ""); w.Code != http.StatusOK || strings.Contains(w.Body.String(), "@") {
		t.Errorf("with a public repository: %d %s", w.Code, w.Body)
	}
	for path, want := range map[string]string{"/users/ada/orgs": "[]", "/orgs/lyceum/members": "[]"} {
		if w := h.get(path, h.Token("zeno")); strings.TrimSpace(w.Body.String()) != want {
			t.Errorf("%s for another user: %s", path, w.Body)
		}
	}
	if w := h.get("/orgs/lyceum/members/ada", h.Token("zeno")); w.Code != http.StatusNotFound {
		t.Errorf("membership for another user: %d", w.Code)
	}
}

// TestObjectLists pages, sorts and narrows lists, and tags answers.
func TestObjectLists(t *testing.T) {
	run(t, generous(), func(t *testing.T, h *testServer) {
		for _, name := range []string{"c", "a", "b"} {
			h.repo(t, "ada", name, name == "b")
		}
		token := h.Token("ada")
		names := func(path string) string {
			t.Helper()
			var list []struct{ Name string }
			w := h.get(path, token)
			if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil {
				t.Fatalf("%s: %d %s", path, w.Code, w.Body)
			}
			var all []string
			for _, r := range list {
				all = append(all, r.Name)
			}
			return strings.Join(all, " ")
		}
		for path, want := range map[string]string{
			"/user/repos": "a b c", "/user/repos?direction=desc": "c b a", "/user/repos?sort=created": "b a c",
			"/user/repos?sort=created&direction=asc": "c a b", "/user/repos?visibility=private": "b",
			"/user/repos?type=public": "a c", "/user/repos?affiliation=collaborator": "",
			"/user/repos?affiliation=organization_member": "", "/user/repos?per_page=2&page=2": "c",
			"/user/repos?page=9": "", "/users/ada/repos?type=member": "",
		} {
			if got := names(path); got != want {
				t.Errorf("%s: got %q, want %q", path, got, want)
			}
		}
		link := h.get("/user/repos?per_page=2", token).Header().Get("Link")
		if !strings.Contains(link, `page=2&per_page=2>; rel="next"`) {
			t.Errorf("Link: %q", link)
		}
		for _, path := range []string{
			"/user/repos?sort=size", "/user/repos?direction=up", "/user/repos?affiliation=owner,x", "/user/repos?type=odd",
		} {
			if w := h.get(path, token); w.Code != http.StatusUnprocessableEntity {
				t.Errorf("%s: got %d, want 422", path, w.Code)
			}
		}
		first := h.get("/repos/ada/a", token)
		left := first.Header().Get("X-Ratelimit-Remaining")
		again := h.get("/repos/ada/a", token, "If-None-Match: "+first.Header().Get("Etag"))
		if again.Code != http.StatusNotModified || again.Header().Get("X-Ratelimit-Remaining") != left {
			t.Errorf("again: %d with %s left, want 304 and %s", again.Code, again.Header().Get("X-Ratelimit-Remaining"), left)
		}
		if w := h.get("/repos/ada/a/commits", token); w.Code != http.StatusConflict {
			t.Errorf("commits of an empty repository: got %d, want 409", w.Code)
		}
	})
}

// TestCommitLists asks for commits by path, author, time and page, and for files in
// their forms.
func TestCommitLists(t *testing.T) {
	t.Parallel()
	h := open(t, "", generous())
	h.filled(t, "ada", "tree", false)
	for path, want := range map[string]int{
		"/commits": 3, "/commits?sha=feature/x": 3, "/commits?path=cmd/main.go": 2, "/commits?path=README.md": 1,
		"/commits?author=ada@example": 3, "/commits?author=zeno": 0, "/commits?since=2026-03-02T00:00:00Z": 0,
		"/commits?until=2026-03-02T00:00:00Z": 3, "/commits?per_page=2": 2, "/commits?per_page=2&page=2": 1,
		"/commits?path=*": 0,
	} {
		var list []struct{ SHA string }
		w := h.get("/repos/ada/tree"+path, "")
		if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil || len(list) != want {
			t.Errorf("%s: got %d commits (%v), want %d: %s", path, len(list), err, want, w.Body)
		}
	}
	link := h.get("/repos/ada/tree/commits?per_page=1", "").Header().Get("Link")
	if !strings.Contains(link, `page=3&per_page=1>; rel="last"`) {
		t.Errorf("Link: %q", link)
	}
	for path, want := range map[string]int{
		"/commits?since=yesterday": 422, "/commits/none": 404, "/commits/--all": 404, "/compare/main...none": 404,
		"/compare/main": 404, "/contents/none": 404, "/contents/../x": 404, "/contents/cmd": 200, "/git/blobs/none": 404,
		"/git/trees/none": 404, "/git/tags/none": 404, "/git/ref/heads/mai": 404, "/contents/link": 200,
		"/contents/README.md?ref=v1.0": 200, "/contents/README.md?ref=none": 404, "/tarball/none": 404,
	} {
		if w := h.get("/repos/ada/tree"+path, ""); w.Code != want {
			t.Errorf("%s: got %d, want %d: %s", path, w.Code, want, w.Body)
		}
	}
	raw := h.get("/repos/ada/tree/contents/README.md", "", "Accept: application/vendor.raw+json")
	if raw.Body.String() != "# Stoa\n" || !strings.Contains(raw.Header().Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("raw: %q %v", raw.Body, raw.Header())
	}
	if w := h.get("/repos/ada/tree/contents/link", ""); !strings.Contains(w.Body.String(), `"target":"README.md"`) {
		t.Errorf("a link: %s", w.Body)
	}
	dated := h.get("/repos/ada/tree/stargazers", "", "Accept: application/vendor.star+json")
	if dated.Code != http.StatusOK || strings.TrimSpace(dated.Body.String()) != "[]" {
		t.Errorf("stargazers with dates: %d %s", dated.Code, dated.Body)
	}
	third := h.get("/repos/ada/tree/commits/main", "").Body.String()
	for _, part := range []string{
		`"status":"renamed"`, `"status":"removed"`, `"stats":{"total":0`, `"filename":"data.bin"`,
	} {
		if !strings.Contains(third, part) {
			t.Errorf("the third commit lacks %s: %s", part, third)
		}
	}
	first := h.get("/repos/ada/tree/commits/v1.0", "").Body.String()
	if !strings.Contains(first, `"patch":"@@ -0,0 +1,3 @@\n+package main\n+\n+func main() {}"`) {
		t.Errorf("a patch is missing: %s", first)
	}
}

// TestSecondPrefix answers below /api/v3 as without it, and unknown paths in the code
// host's form.
func TestSecondPrefix(t *testing.T) {
	t.Parallel()
	h := open(t, "", generous())
	h.repo(t, "ada", "open", false)
	token := h.Token("ada")
	for _, path := range []string{"/events", "/users/ada", "/repos/ada/open", "/rate_limit"} {
		plain, below := h.get(path, token), h.get("/api/v3"+path, token)
		want := strings.ReplaceAll(plain.Body.String(), "http://stoa.test/", "http://stoa.test/api/v3/")
		for _, page := range []string{"ada", "git"} {
			want = strings.ReplaceAll(want, "http://stoa.test/api/v3/"+page+"/", "http://stoa.test/"+page+"/")
		}
		want = strings.ReplaceAll(want, `http://stoa.test/api/v3/ada"`, `http://stoa.test/ada"`)
		got := below.Body.String()
		if path == "/rate_limit" {
			got, want = "", ""
		}
		if below.Code != http.StatusOK || got != want {
			t.Errorf("%s: %d\n got %s\nwant %s", path, below.Code, got, want)
		}
	}
	for _, path := range []string{
		"/feeds", "/search/code", "/api/v3/feeds", "/api/v3", "/api/v3/",
	} {
		w := h.get(path, token)
		if w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), `"documentation_url"`) {
			t.Errorf("%s: %d %s, want the code host's 404", path, w.Code, w.Body)
		}
	}
	if w := h.get("/rate_limit", token); strings.Contains(w.Body.String(), "search") {
		t.Errorf("the limits list what does not exist: %s", w.Body)
	}
	w := h.get("/users/workflow[bot]", token)
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"Bot"`) {
		t.Errorf("the account of tokens of a repository: %d %s", w.Code, w.Body)
	}
}
