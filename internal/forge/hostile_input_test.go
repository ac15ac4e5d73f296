package forge_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
)

// raw stores a commit whose text no git program would write by itself.
func (c *client) raw(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(c.dir, ".git", "raw")
	text = strings.ReplaceAll(text, "TREE", c.must(t, "rev-parse", "HEAD^{tree}"))
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return c.must(t, "hash-object", "-t", "commit", "-w", path)
}

// TestHostileCommits pushes commits that git takes and a record could choke
// on. None may keep later pushes from being recorded.
func TestHostileCommits(t *testing.T) {
	run(t, func(t *testing.T, h *testServer) {
		h.create(t, forge.NewRepository{Owner: "ada", Name: "odd"})
		c := newClient(t)
		c.commit(t, "first")
		url := h.url(h.token(t, "ada"), "ada/odd.git")
		const plain = "author A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\n"
		for name, text := range map[string]string{
			"the-year-10000": "tree TREE\nauthor A <a@b> 253402300800 +0000\ncommitter A <a@b> 253402300800 +0000\n\nfar\n",
			"the-last-second": "tree TREE\nauthor A <a@b> 9223372036854775807 +0000\n" +
				"committer A <a@b> 9223372036854775807 +0000\n\nfar\n",
			"no-utf-8":       "tree TREE\nauthor \xff\xfe <\xff@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\n\xff\xfe\n",
			"separators":     "tree TREE\nauthor A\x1fB\x1fC <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nm\x1fm\n",
			"a-long-message": "tree TREE\n" + plain + strings.Repeat("x", 1<<20) + "\n",
			"no-message":     "tree TREE\n" + plain,
		} {
			sha := c.raw(t, text)
			if out, err := c.git("push", "-q", url, sha+":refs/heads/"+name); err != nil {
				t.Errorf("%s: %v\n%s", name, err, out)
				continue
			}
			p := newest(t, h)
			if p.Ref != "refs/heads/"+name || p.After != sha || len(p.Commits) != 1 || p.Commits[0].SHA != sha {
				t.Errorf("%s: recorded as %s %s with %d commits, want %s", name, p.Ref, p.After, len(p.Commits), sha)
			}
			if n := len(p.Commits[0].Message); n > 64<<10 {
				t.Errorf("%s: a message of %d bytes is kept", name, n)
			}
		}
	})
}

// TestHostileRefs pushes names that git takes and the record cannot hold.
func TestHostileRefs(t *testing.T) {
	run(t, func(t *testing.T, h *testServer) {
		r := h.create(t, forge.NewRepository{Owner: "ada", Name: "odd"})
		c := newClient(t)
		c.commit(t, "first")
		url := h.url(h.token(t, "ada"), "ada/odd.git")
		long := strings.Repeat("/"+strings.Repeat("n", 60), 5)
		for name, ref := range map[string]string{"no UTF-8": "refs/heads/\xff\xfe", "too long": "refs/heads" + long} {
			if out, err := c.git("push", "-q", url, "main:"+ref); err == nil {
				t.Errorf("%s: the push was taken\n%s", name, out)
			}
		}
		// A program with access to the folder can make such a ref without us.
		folder := h.forge.Folder(r)
		c.must(t, "push", "-q", url, "main")
		c.must(t, "--git-dir="+folder, "update-ref", "refs/heads/\xff", c.must(t, "rev-parse", "HEAD"))
		h.observed()
		c.commit(t, "second")
		c.must(t, "push", "-q", url, "main")
		check(t, h, "a push beside an invalid ref name", "pushed refs/heads/main")
		longest := "refs/heads/" + strings.Repeat("n", 200) + "/" + strings.Repeat("é", 21) + "m"
		if len(longest) != 255 {
			t.Fatalf("the name has %d bytes", len(longest))
		}
		c.must(t, "push", "-q", url, "main:"+longest)
		check(t, h, "the longest name", "ref_created "+longest)
	})
}

// TestManyBranches makes many branches of known commits in one push: git is
// not asked about each.
func TestManyBranches(t *testing.T) {
	t.Parallel()
	h := open(t, "", forge.DefaultConfig())
	r := h.create(t, forge.NewRepository{Owner: "ada", Name: "many"})
	c := newClient(t)
	c.commit(t, "first")
	url := h.url(h.token(t, "ada"), "ada/many.git")
	args := []string{"push", "-q", url, "main"}
	for i := range 300 {
		args = append(args, "main:b"+string(rune('a'+i/26%26))+string(rune('a'+i%26)))
	}
	c.must(t, args...)
	pushes, err := h.forge.Pushes(t.Context(), r, 1000)
	if err != nil || len(pushes) != 301 {
		t.Fatalf("got %d pushes %v, want 301", len(pushes), err)
	}
	distinct := int64(0)
	for _, p := range pushes {
		if p.Size != p.DistinctSize {
			t.Errorf("%s: size %d, distinct %d", p.Ref, p.Size, p.DistinctSize)
		}
		distinct += p.DistinctSize
	}
	if distinct != 1 {
		t.Errorf("one new commit was counted %d times", distinct)
	}
}

// TestHostileQuestions sends bodies that no git client would.
func TestHostileQuestions(t *testing.T) {
	t.Parallel()
	h := open(t, "", forge.DefaultConfig())
	r := h.create(t, forge.NewRepository{Owner: "ada", Name: "open"})
	h.commitFile(t, r)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write([]byte("zzzz"))
	_ = z.Close()
	for name, row := range map[string]struct {
		body   string
		header []string
		want   int
	}{
		"no packet": {"zzzz", nil, 400},
		"cut off":   {"0032want 1234", nil, 400},
		// Here git itself has an answer for the client.
		"not our ref":   {"0032want 1234567890123456789012345678901234567890\n0000", nil, 200},
		"no packet, v2": {"zzzz", []string{"Git-Protocol: version=2"}, 400},
		"no command":    {"0010command=evil0000", []string{"Git-Protocol: version=2"}, 400},
		"compressed":    {packed.String(), []string{"Content-Encoding: gzip"}, 400},
	} {
		address := h.server.URL + "/git/ada/open.git/git-upload-pack"
		request, err := http.NewRequestWithContext(t.Context(), "POST", address, strings.NewReader(row.body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/x-git-upload-pack-request")
		for _, line := range row.header {
			key, value, _ := strings.Cut(line, ": ")
			request.Header.Set(key, value)
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Errorf("%s: no answer: %v", name, err)
			continue
		}
		_ = answer.Body.Close()
		if answer.StatusCode != row.want {
			t.Errorf("%s: got %d, want %d", name, answer.StatusCode, row.want)
		}
	}
}

// TestInstallationLosesItsRepository deletes the one repository an app was
// limited to. The app must not gain the others by it.
func TestInstallationLosesItsRepository(t *testing.T) {
	run(t, func(t *testing.T, h *testServer) {
		org, err := h.Identity.AddOrg(t.Context(), "acme", false)
		if err != nil {
			t.Fatal(err)
		}
		chosen := h.create(t, forge.NewRepository{Owner: "acme", Name: "chosen", Private: true})
		other := h.create(t, forge.NewRepository{Owner: "acme", Name: "other", Private: true})
		caller := &identity.Caller{Kind: identity.KindInstallation, ClientID: "app", OrgID: org.ID}
		owner := forge.Owner{Kind: forge.OwnerOrg, ID: org.ID}
		if _, err := h.forge.Install(t.Context(), "app", owner, []int64{chosen.ID}); err != nil {
			t.Fatal(err)
		}
		if err := h.forge.Delete(t.Context(), chosen.ID, h.ada); err != nil {
			t.Fatal(err)
		}
		if got, err := h.forge.Access(t.Context(), caller, other); err != nil || got != forge.None {
			t.Errorf("after the chosen one was deleted: %v %v on the other, want none", got, err)
		}
		if n, _, err := h.forge.InstallationSize(t.Context(), caller); err != nil || n != 0 {
			t.Errorf("the installation covers %d repositories %v, want 0", n, err)
		}
		if _, err := h.forge.Install(t.Context(), "app", owner, nil); err != nil {
			t.Fatal(err)
		}
		if got, err := h.forge.Access(t.Context(), caller, other); err != nil || got != forge.Write {
			t.Errorf("installed on all: %v %v, want write", got, err)
		}
	})
}

// TestSlots runs no git program while no slot is free.
func TestSlots(t *testing.T) {
	t.Parallel()
	config := forge.DefaultConfig()
	config.Processes = 1
	h := open(t, "", config)
	r := h.create(t, forge.NewRepository{Owner: "ada", Name: "open"})
	ask := func(ctx context.Context) int {
		address := h.server.URL + "/git/ada/open.git/info/refs?service=git-upload-pack"
		request, err := http.NewRequestWithContext(ctx, "GET", address, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			return 0
		}
		_ = answer.Body.Close()
		return answer.StatusCode
	}
	release, err := h.forge.TakeSlot(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if got := ask(short); got != 0 {
		t.Errorf("with no slot free: got %d, want to wait", got)
	}
	release()
	if got := ask(t.Context()); got != 200 {
		t.Errorf("with a slot free: got %d, want 200", got)
	}
}
