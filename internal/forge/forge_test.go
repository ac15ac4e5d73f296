package forge_test

import (
	"bytes"
	"context"
	"errors"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/identitytest"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
)

// testServer is a forge behind a listener, with an observer that keeps the
// activities.
type testServer struct {
	*identitytest.Server
	forge  *forge.Forge
	server *httptest.Server
	ada    forge.Actor

	mu   sync.Mutex
	seen []forge.Activity
	// refuse fails the transaction of every activity while it is set.
	refuse error
}

// run opens a server on each database.
func run(t *testing.T, fn func(t *testing.T, h *testServer)) {
	t.Helper()
	runConfig(t, forge.DefaultConfig(), fn)
}

func runConfig(t *testing.T, c forge.Config, fn func(t *testing.T, h *testServer)) {
	t.Helper()
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		fn(t, open(t, "", c))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		fn(t, open(t, databasetest.PostgresURL(t), c))
	})
}

func open(t testing.TB, url string, c forge.Config) *testServer {
	t.Helper()
	h := &testServer{}
	h.Server = identitytest.Open(t, func(w *world.World, identity *identity.Identity) module.Module {
		h.forge = forge.New(w, identity, c)
		h.forge.Observe(h.observe)
		h.forge.AcceptTokens(forge.ServiceTokens{
			Service: "events", Read: []string{forge.ScopeContentsRead}, Write: []string{forge.ScopeContentsWrite},
		})
		h.forge.AcceptTokens(forge.ServiceTokens{
			Service: "pipelines", Read: []string{"view-builds", "all"}, PersonalWrite: []string{"all"},
		})
		identity.Register(module.Module{Name: "events", Scopes: []module.Scope{
			{Name: forge.ScopeContentsRead, Description: "read"}, {Name: forge.ScopeContentsWrite, Description: "write"},
		}})
		identity.Register(module.Module{Name: "labels"})
		return h.forge.Module()
	}, url)
	h.server = httptest.NewServer(h.Module.Handler)
	t.Cleanup(h.server.Close)
	u := h.User("ada")
	h.ada = forge.Actor{ID: u.ID, Name: u.Name}
	return h
}

func (h *testServer) observe(_ context.Context, tx *database.Tx, a forge.Activity) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.refuse != nil {
		return h.refuse
	}
	tx.OnCommit(func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.seen = append(h.seen, a)
	})
	return nil
}

// observed lists what the observer saw since the last call, as "kind ref".
func (h *testServer) observed() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var list []string
	for _, a := range h.seen {
		text := string(a.Kind)
		if a.Push != nil {
			text += " " + a.Push.Ref
		}
		list = append(list, text)
	}
	h.seen = nil
	return list
}

func (h *testServer) token(t *testing.T, user string) string {
	t.Helper()
	return h.Issue(identity.IssueOptions{
		Kind: identity.KindPersonal, Services: []string{"events"}, UserID: h.User(user).ID,
		Scopes: []string{forge.ScopeContentsRead, forge.ScopeContentsWrite},
	})
}

func (h *testServer) create(t *testing.T, n forge.NewRepository) forge.Repository {
	t.Helper()
	if n.Actor == (forge.Actor{}) {
		n.Actor = h.ada
	}
	r, err := h.forge.Create(t.Context(), n)
	if err != nil {
		t.Fatalf("create %s/%s: %v", n.Owner, n.Name, err)
	}
	h.observed()
	return r
}

// commitFile adds a commit with one file.
func (h *testServer) commitFile(t *testing.T, r forge.Repository) {
	t.Helper()
	if _, err := h.forge.CommitFiles(t.Context(), r, forge.NewCommit{
		Actor: h.ada, Email: "a@b", Message: "m", Files: map[string]string{"f": "x"},
	}); err != nil {
		t.Fatal(err)
	}
}

// url is the address of a repository with the token as the password.
func (h *testServer) url(token, path string) string {
	base := strings.TrimPrefix(h.server.URL, "http://")
	if token == "" {
		return "http://" + base + "/git/" + path
	}
	return "http://any:" + token + "@" + base + "/git/" + path
}

// client is a folder with a working copy of the real git client.
type client struct{ dir string }

func newClient(t *testing.T) *client {
	t.Helper()
	c := &client{dir: t.TempDir()}
	c.must(t, "init", "-q", "-b", "main")
	return c
}

func (c *client) git(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = c.dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + c.dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com",
		"GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com",
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

func (c *client) must(t *testing.T, args ...string) string {
	t.Helper()
	out, err := c.git(args...)
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(out)
}

// commit adds a commit without files and returns its name.
func (c *client) commit(t *testing.T, message string) string {
	t.Helper()
	c.must(t, "commit", "-q", "--allow-empty", "-m", message)
	return c.must(t, "rev-parse", "HEAD")
}

func TestPushIsObserved(t *testing.T) {
	run(t, func(t *testing.T, h *testServer) {
		h.create(t, forge.NewRepository{Owner: "ada", Name: "stoa"})
		c := newClient(t)
		url := h.url(h.token(t, "ada"), "ada/stoa.git")
		first := c.commit(t, "first\n\nbody")
		second := c.commit(t, "second")

		c.must(t, "push", "-q", url, "main")
		check(t, h, "refs/heads/main created with commits", "ref_created refs/heads/main", "pushed refs/heads/main")
		p := newest(t, h)
		if p.Before != forge.Zero || p.After != second || p.Size != 2 || p.DistinctSize != 2 || p.Forced {
			t.Errorf("first push: got %+v", p)
		}
		if len(p.Commits) != 2 || p.Commits[0].SHA != first || p.Commits[0].Message != "first\n\nbody" ||
			!p.Commits[1].Distinct {
			t.Errorf("commits: got %+v, want %s then %s", p.Commits, first, second)
		}
		if p.Commits[0].Author.Name != "Ada" || p.Commits[0].Author.Email != "ada@example.com" || p.Actor != h.ada {
			t.Errorf("author %+v, actor %+v", p.Commits[0].Author, p.Actor)
		}

		c.must(t, "tag", "-a", "v1", "-m", "one")
		c.must(t, "push", "-q", url, "v1", "main:same")
		check(t, h, "a tag and a branch without commits", "ref_created refs/heads/same", "ref_created refs/tags/v1")

		c.must(t, "reset", "-q", "--hard", first)
		third := c.commit(t, "third")
		c.must(t, "push", "-q", "--force", url, "main")
		check(t, h, "forced", "pushed refs/heads/main")
		if p := newest(t, h); !p.Forced || p.Before != second || p.After != third || p.Size != 1 {
			t.Errorf("forced push: got %+v", p)
		}

		c.must(t, "push", "-q", url, ":same", ":v1")
		check(t, h, "deleted", "ref_deleted refs/heads/same", "ref_deleted refs/tags/v1")

		c.must(t, "push", "-q", url, "main")
		check(t, h, "nothing new")
	})
}

func TestManyCommits(t *testing.T) {
	run(t, func(t *testing.T, h *testServer) {
		h.create(t, forge.NewRepository{Owner: "ada", Name: "long"})
		c := newClient(t)
		c.commit(t, "root")
		url := h.url(h.token(t, "ada"), "ada/long.git")
		c.must(t, "push", "-q", url, "main")
		before := newest(t, h).After
		const count = 1000
		cmd := exec.Command("git", "fast-import", "--quiet")
		cmd.Dir = c.dir
		var stream strings.Builder
		for range count {
			stream.WriteString("commit refs/heads/main\ncommitter Ada <ada@example.com> 1700000000 +0000\ndata 1\nx\n")
			if stream.Len() < 100 {
				stream.WriteString("from " + before + "\n")
			}
		}
		cmd.Stdin = strings.NewReader(stream.String())
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("fast-import: %v\n%s", err, out)
		}
		c.must(t, "push", "-q", url, "main")
		p := newest(t, h)
		if p.Size != count || p.DistinctSize != count || len(p.Commits) != forge.MaxCommits || p.Before != before {
			t.Errorf("got size %d, distinct %d, %d commits; want %d, %d, %d",
				p.Size, p.DistinctSize, len(p.Commits), count, count, forge.MaxCommits)
		}
		if last := p.Commits[len(p.Commits)-1].SHA; last != p.After {
			t.Errorf("the last commit is %s, want the head %s", last, p.After)
		}
	})
}

func check(t *testing.T, h *testServer, what string, want ...string) {
	t.Helper()
	if got := h.observed(); !slices.Equal(got, want) {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func newest(t *testing.T, h *testServer) forge.Push {
	t.Helper()
	repos, err := h.forge.Repositories(t.Context(), "ada")
	if err != nil || len(repos) != 1 {
		t.Fatalf("repositories: %v %v", repos, err)
	}
	pushes, err := h.forge.Pushes(t.Context(), repos[0], 10)
	if err != nil || len(pushes) == 0 {
		t.Fatalf("pushes: %v %v", pushes, err)
	}
	return pushes[0]
}

// TestCrashBetweenPushAndRecord breaks the record of a push and starts again:
// neither the push nor its activities are lost.
func TestCrashBetweenPushAndRecord(t *testing.T) {
	run(t, func(t *testing.T, h *testServer) {
		r := h.create(t, forge.NewRepository{Owner: "ada", Name: "stoa"})
		c := newClient(t)
		sha := c.commit(t, "first")
		url := h.url(h.token(t, "ada"), "ada/stoa.git")
		h.mu.Lock()
		h.refuse = errors.New("the lights go out")
		h.mu.Unlock()
		if out, err := c.git("push", url, "main"); err == nil {
			t.Errorf("the push was acknowledged although it is not on record:\n%s", out)
		}
		if got, err := h.forge.Resolve(t.Context(), r, "main"); err != nil || got != sha {
			t.Fatalf("the ref: got %q %v, want %s", got, err, sha)
		}
		h.mu.Lock()
		h.refuse = nil
		h.mu.Unlock()
		check(t, h, "before the restart")
		h.Clock.Advance(h.config().Timeout * 3)
		if err := h.Module.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		check(t, h, "after the restart", "ref_created refs/heads/main", "pushed refs/heads/main")
		if p := newest(t, h); p.Actor != h.ada {
			t.Errorf("actor: got %+v, want %+v", p.Actor, h.ada)
		}
		if err := h.Module.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		check(t, h, "after another restart")
	})
}

func (h *testServer) config() forge.Config { return forge.DefaultConfig() }

func TestCloneReadRename(t *testing.T) {
	run(t, func(t *testing.T, h *testServer) {
		r := h.create(t, forge.NewRepository{Owner: "ada", Name: "stoa"})
		if _, err := h.forge.CommitFiles(t.Context(), r, forge.NewCommit{
			Actor: h.ada, Email: "ada@example.com", Message: "add", Files: map[string]string{"a/b.txt": "hello\n"},
		}); err != nil {
			t.Fatal(err)
		}
		name := "colonnade"
		if _, err := h.forge.Update(t.Context(), r.ID, forge.Change{Name: &name}, h.ada); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"ada/stoa.git", "ADA/Colonnade.git", "ada/colonnade"} {
			dir := filepath.Join(t.TempDir(), "copy")
			c := &client{dir: t.TempDir()}
			c.must(t, "clone", "-q", h.url("", path), dir)
			if text, err := os.ReadFile(filepath.Join(dir, "a", "b.txt")); err != nil || string(text) != "hello\n" {
				t.Errorf("clone of %s: got %q %v", path, text, err)
			}
		}
		if text, err := h.forge.File(t.Context(), r, "main", "a/b.txt", 100); err != nil || string(text) != "hello\n" {
			t.Errorf("file: got %q %v", text, err)
		}
		for _, bad := range []string{"a", "../a", "a/../a/b.txt", "/a/b.txt", "", "none"} {
			if text, err := h.forge.File(t.Context(), r, "main", bad, 100); !errors.Is(err, forge.ErrNotFound) {
				t.Errorf("file %q: got %q %v, want not found", bad, text, err)
			}
		}
		for _, bad := range []string{"", "--all", "main..main", "HEAD@{1}", "nothing", ":a/b.txt"} {
			if got, err := h.forge.Resolve(t.Context(), r, bad); !errors.Is(err, forge.ErrNotFound) {
				t.Errorf("revision %q: got %q %v, want not found", bad, got, err)
			}
		}
		if _, err := h.forge.File(t.Context(), r, "main", "a/b.txt", 3); !errors.Is(err, forge.ErrTooLarge) {
			t.Errorf("large file: got %v", err)
		}
	})
}

// TestCommitFileNames: a file keeps its name, whatever is in it.
func TestCommitFileNames(t *testing.T) {
	t.Parallel()
	h := open(t, "", forge.DefaultConfig())
	r := h.create(t, forge.NewRepository{Owner: "ada", Name: "names"})
	files := map[string]string{}
	for _, name := range []string{
		"a b.md", `quo"te\.md`, "caf\u00e9.md", "soft\u00adhyphen.md", "family \U0001F468\u200d\U0001F469.md", "\x7f.md",
	} {
		files[name] = "text of " + name
	}
	if _, err := h.forge.CommitFiles(t.Context(), r, forge.NewCommit{
		Actor: h.ada, Email: "ada@example.com", Message: "Names", Files: files,
	}); err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		if text, err := h.forge.File(t.Context(), r, "main", name, 100); err != nil || string(text) != want {
			t.Errorf("file %q: got %q, %v", name, text, err)
		}
	}
}
