package forge_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database/databasetest"
)

// TestWhoMayCloneAndPush is the matrix of callers and repositories, with the
// real client.
func TestWhoMayCloneAndPush(t *testing.T) {
	run(t, func(t *testing.T, h *testServer) {
		open := h.create(t, forge.NewRepository{Owner: "ada", Name: "open"})
		secret := h.create(t, forge.NewRepository{Owner: "ada", Name: "secret", Private: true})
		for _, r := range []forge.Repository{open, secret} {
			h.commitFile(t, r)
			for name, p := range map[string]forge.Permission{"reader": forge.Read, "writer": forge.Write} {
				u := h.User(name)
				if _, err := h.forge.SetMember(t.Context(), r.ID, forge.Actor{ID: u.ID, Name: u.Name}, p, h.ada); err != nil {
					t.Fatal(err)
				}
			}
		}
		issue := func(o identity.IssueOptions) string {
			if o.Kind == "" {
				o.Kind, o.UserID = identity.KindPersonal, h.User("ada").ID
			}
			if o.Services == nil {
				o.Services = []string{"events"}
			}
			return h.Issue(o)
		}
		both := []string{forge.ScopeContentsRead, forge.ScopeContentsWrite}
		for name, row := range map[string]struct {
			token string
			// may is what works: o and s clone, O and S push.
			may string
		}{
			"anonymous":            {"", "o"},
			"owner":                {h.token(t, "ada"), "osOS"},
			"other user":           {h.token(t, "zeno"), "o"},
			"reader":               {h.token(t, "reader"), "os"},
			"writer":               {h.token(t, "writer"), "osOS"},
			"owner, read only":     {issue(identity.IssueOptions{Scopes: both[:1]}), "os"},
			"owner, no scope":      {issue(identity.IssueOptions{}), "o"},
			"owner, other service": {issue(identity.IssueOptions{Services: []string{"labels"}}), "o"},
			"workflow of secret": {issue(identity.IssueOptions{
				Kind: identity.KindWorkflow, UserID: h.User("ada").ID, Repo: "ada/secret", Scopes: both,
			}), "osS"},
			// The client shows its token only when it is asked to.
			"bad token": {"nonsense", "o"},
		} {
			c := newClient(t)
			for _, r := range []forge.Repository{open, secret} {
				url := h.url(row.token, r.FullName()+".git")
				letter := r.Name[:1]
				_, err := c.git("ls-remote", url)
				if got, want := err == nil, strings.Contains(row.may, letter); got != want {
					t.Errorf("%s clones %s: got %v, want %v", name, r.Name, got, want)
				}
				c.commit(t, name)
				_, err = c.git("push", "-q", url, "HEAD:refs/heads/by-"+strings.NewReplacer(" ", "-", ",", "").Replace(name))
				if got, want := err == nil, strings.Contains(row.may, strings.ToUpper(letter)); got != want {
					t.Errorf("%s pushes to %s: got %v, want %v", name, r.Name, got, want)
				}
			}
		}
	})
}

func TestRefusedRequests(t *testing.T) {
	t.Parallel()
	h := open(t, "", forge.DefaultConfig())
	h.create(t, forge.NewRepository{Owner: "ada", Name: "open"})
	token := "Authorization: Bearer " + h.token(t, "ada")
	const push = "Content-Type: application/x-git-receive-pack-request"
	const password = "Authorization: Basic YWRhOnBhc3N3b3Jk"
	for _, row := range []struct {
		method, path string
		header       []string
		want         int
	}{
		{"GET", "/git/ada/open.git/info/refs?service=git-upload-pack", nil, 200},
		{"GET", "/git/ada/open.git/info/refs", nil, 403},
		{"GET", "/git/ada/open.git/info/refs?service=git-upload-archive", nil, 403},
		{"GET", "/git/ada/open.git/HEAD", nil, 404},
		{"GET", "/git/ada/open.git/config", nil, 404},
		{"GET", "/git/ada/open.git/objects/info/packs", nil, 404},
		{"GET", "/git/ada/..%2fopen.git/info/refs?service=git-upload-pack", nil, 401},
		{"GET", "/git/..%2f..%2fetc/passwd/info/refs?service=git-upload-pack", []string{token}, 404},
		{"GET", "/git/ada/none.git/info/refs?service=git-upload-pack", nil, 401},
		{"GET", "/git/ada/none.git/info/refs?service=git-upload-pack", []string{token}, 404},
		{"GET", "/git/ada/open.git/info/refs?service=git-receive-pack", nil, 401},
		{"GET", "/git/ada/open.git/info/refs?service=git-receive-pack", []string{password}, 401},
		{"POST", "/git/ada/open.git/git-receive-pack", []string{token}, 415},
		{"POST", "/git/ada/open.git/git-upload-pack", nil, 415},
		{"POST", "/git/ada/open.git/git-receive-pack", []string{token, push, "Content-Encoding: br"}, 415},
		{"POST", "/git/ada/open.git/git-receive-pack", []string{token, push, "Content-Encoding: gzip"}, 400},
		{"DELETE", "/git/ada/open.git/git-receive-pack", []string{token}, 405},
	} {
		w := h.Call(row.method, row.path, "", row.header...)
		if w.Code != row.want {
			t.Errorf("%s %s: got %d %s, want %d", row.method, row.path, w.Code, w.Body, row.want)
		}
		if w.Code == http.StatusUnauthorized && !strings.HasPrefix(w.Header().Get("WWW-Authenticate"), "Basic ") {
			t.Errorf("%s %s: no challenge, so git would not ask for the token", row.method, row.path)
		}
		// Git shows the lines of plain text to its user.
		if w.Code == http.StatusUnauthorized && !strings.Contains(w.Body.String(), "stoa token issue") {
			t.Errorf("%s %s: %q does not say how to make a token", row.method, row.path, w.Body)
		}
	}
}

// TestProtocolVersion2 looks at what the client says about the exchange.
func TestProtocolVersion2(t *testing.T) {
	t.Parallel()
	h := open(t, "", forge.DefaultConfig())
	r := h.create(t, forge.NewRepository{Owner: "ada", Name: "open"})
	h.commitFile(t, r)
	w := h.Call("GET", "/git/ada/open.git/info/refs?service=git-upload-pack", "", "Git-Protocol: version=2")
	if !strings.HasPrefix(w.Body.String(), "000eversion 2\n") {
		t.Errorf("got %q", w.Body)
	}
	w = h.Call("GET", "/git/ada/open.git/info/refs?service=git-upload-pack", "", "Git-Protocol: version=2:evil=1")
	if !strings.HasPrefix(w.Body.String(), "001e# service=git-upload-pack\n0000") {
		t.Errorf("an unknown version: got %q, want the form that every client understands", w.Body)
	}
	for _, version := range []string{"0", "1", "2"} {
		c := &client{dir: t.TempDir()}
		c.must(t, "-c", "protocol.version="+version, "clone", "-q", h.url("", "ada/open.git"), "copy")
		c.must(t, "-c", "protocol.version="+version, "clone", "-q", "--depth=1", h.url("", "ada/open.git"), "shallow")
	}
}

// TestOnlyBranchesAndTags keeps other refs, and bad objects, out.
func TestOnlyBranchesAndTags(t *testing.T) {
	t.Parallel()
	h := open(t, "", forge.DefaultConfig())
	h.create(t, forge.NewRepository{Owner: "ada", Name: "open"})
	c := newClient(t)
	c.commit(t, "first")
	url := h.url(h.token(t, "ada"), "ada/open.git")
	c.must(t, "push", "-q", url, "main")
	for _, ref := range []string{"refs/pull/1/head", "refs/notes/x", "refs/replace/x", "HEAD:refs/hidden"} {
		if out, err := c.git("push", "-q", url, "main:"+strings.TrimPrefix(ref, "HEAD:")); err == nil {
			t.Errorf("a push to %s succeeded:\n%s", ref, out)
		}
	}
	if out, err := c.git("push", "-q", url, ":main"); err == nil {
		t.Errorf("the default branch was deleted:\n%s", out)
	}
	// A hook in the repository must never run.
	r, _, err := h.forge.FindPath(t.Context(), "ada/open")
	if err != nil {
		t.Fatal(err)
	}
	hooks := filepath.Join(h.forge.Folder(r), "hooks")
	mark := filepath.Join(t.TempDir(), "ran")
	if err := os.MkdirAll(hooks, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pre-receive", "update", "post-receive", "post-update", "reference-transaction"} {
		if err := os.WriteFile(filepath.Join(hooks, name), []byte("#!/bin/sh\ntouch "+mark+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	c.commit(t, "second")
	c.must(t, "push", "-q", url, "main")
	if _, err := os.Stat(mark); err == nil {
		t.Error("a hook ran")
	}
}

func TestPushTooLarge(t *testing.T) {
	t.Parallel()
	config := forge.DefaultConfig()
	config.MaxPush = 64 << 10
	h := open(t, "", config)
	h.create(t, forge.NewRepository{Owner: "ada", Name: "small"})
	c := newClient(t)
	noise := make([]byte, 200<<10)
	for i, x := 0, uint32(1); i < len(noise); i++ {
		x = x*1664525 + 1013904223
		noise[i] = byte(x >> 24)
	}
	if err := os.WriteFile(filepath.Join(c.dir, "noise"), noise, 0o600); err != nil {
		t.Fatal(err)
	}
	c.must(t, "add", "noise")
	c.commit(t, "large")
	if out, err := c.git("push", "-q", h.url(h.token(t, "ada"), "ada/small.git"), "main"); err == nil {
		t.Errorf("a push beyond the bound succeeded:\n%s", out)
	}
	check(t, h, "nothing was pushed")
}

// TestPushesAtOnce lets several clients push to one repository; every branch is
// recorded once, for the actor who pushed it.
func TestPushesAtOnce(t *testing.T) {
	t.Parallel()
	for name, url := range map[string]string{"sqlite": "", "postgres": databasetest.PostgresURL(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := open(t, url, forge.DefaultConfig())
			r := h.create(t, forge.NewRepository{Owner: "ada", Name: "busy"})
			var wait sync.WaitGroup
			const pushers = 6
			for i := range pushers {
				who := h.User("user" + string(rune('a'+i)))
				member := forge.Actor{ID: who.ID, Name: who.Name}
				if _, err := h.forge.SetMember(t.Context(), r.ID, member, forge.Write, h.ada); err != nil {
					t.Fatal(err)
				}
				c := newClient(t)
				c.commit(t, who.Name)
				address := h.url(h.token(t, who.Name), "ada/busy.git")
				wait.Go(func() {
					if out, err := c.git("push", "-q", address, "main:"+who.Name); err != nil {
						t.Errorf("push of %s: %v\n%s", who.Name, err, out)
					}
				})
			}
			wait.Wait()
			pushes, err := h.forge.Pushes(t.Context(), r, 100)
			if err != nil || len(pushes) != pushers {
				t.Fatalf("got %d pushes %v, want %d", len(pushes), err, pushers)
			}
			for _, p := range pushes {
				if forge.ShortRef(p.Ref) != p.Actor.Name {
					t.Errorf("%s is recorded as pushed by %s", p.Ref, p.Actor.Name)
				}
			}
		})
	}
}
