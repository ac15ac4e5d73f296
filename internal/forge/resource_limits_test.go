package forge_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/forge/git/gittest"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/fuzztest"
)

// small has slots of 40 MiB, one for each caller.
func small() forge.Config {
	c := forge.DefaultConfig()
	c.Memory = 6 * 40 << 20
	return c
}

// dial opens a connection to the server and sends text.
func (h *testServer) dial(t *testing.T, text string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(h.server.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	return conn
}

// TestIdleClientsHoldNothing opens requests whose bodies never come, or stop
// in the middle: others clone and push meanwhile.
func TestIdleClientsHoldNothing(t *testing.T) {
	t.Parallel()
	h := open(t, "", forge.DefaultConfig())
	r := h.create(t, forge.NewRepository{Owner: "ada", Name: "open"})
	h.commitFile(t, r)
	const form = "POST /git/ada/open.git/git-%s HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n" +
		"Content-Type: application/x-git-%[1]s-request\r\n%s\r\n"
	for range 20 {
		h.dial(t, fmt.Sprintf(form, "upload-pack", ""))
		h.dial(t, fmt.Sprintf(form, "upload-pack", "")+"4\r\n0032\r\n")
		authorization := "Authorization: Bearer " + h.token(t, "ada") + "\r\n"
		h.dial(t, fmt.Sprintf(form, "receive-pack", authorization)+"4\r\n00ff\r\n")
	}
	c := newClient(t)
	c.must(t, "ls-remote", h.url("", "ada/open.git"))
	c.commit(t, "first")
	c.must(t, "push", "-q", h.url(h.token(t, "ada"), "ada/open.git"), "main:other")
}

// noise commits a file that does not shrink.
func (c *client) noise(t *testing.T, size int) string {
	t.Helper()
	noise := make([]byte, size)
	for i, x := 0, uint32(1); i < len(noise); i++ {
		x = x*1664525 + 1013904223
		noise[i] = byte(x >> 24)
	}
	if err := os.WriteFile(filepath.Join(c.dir, "noise"), noise, 0o600); err != nil {
		t.Fatal(err)
	}
	c.must(t, "add", "noise")
	return c.commit(t, "large")
}

// TestUnreadAnswersHoldNothing asks for packs that no client reads.
func TestUnreadAnswersHoldNothing(t *testing.T) {
	t.Parallel()
	h := open(t, "", forge.DefaultConfig())
	h.create(t, forge.NewRepository{Owner: "ada", Name: "open"})
	c := newClient(t)
	sha := c.noise(t, 12<<20)
	c.must(t, "push", "-q", h.url(h.token(t, "ada"), "ada/open.git"), "main")
	want := "want " + sha + " side-band-64k\n"
	body := fmt.Sprintf("%04x%s0000", len(want)+4, want) + "0009done\n"
	var unread []net.Conn
	for range 10 {
		conn := h.dial(t, fmt.Sprintf("POST /git/ada/open.git/git-upload-pack HTTP/1.1\r\nHost: x\r\n"+
			"Content-Length: %d\r\nContent-Type: application/x-git-upload-pack-request\r\n\r\n%s", len(body), body))
		unread = append(unread, conn)
	}
	// Every answer has begun, and none is read any further.
	for _, conn := range unread {
		if _, err := io.ReadFull(conn, make([]byte, 16)); err != nil {
			t.Fatal(err)
		}
	}
	guard := time.After(30 * time.Second)
	for h.forge.UsedSlots() > 0 {
		select {
		case <-guard:
			t.Fatalf("%d slots are held for answers that are not read", h.forge.UsedSlots())
		default:
			<-time.After(time.Millisecond)
		}
	}
}

// TestSlotsAreShared takes all slots of a caller: others have theirs.
func TestSlotsAreShared(t *testing.T) {
	t.Parallel()
	h := open(t, "", forge.DefaultConfig())
	r := h.create(t, forge.NewRepository{Owner: "ada", Name: "open"})
	for range 4 {
		release, err := h.forge.TakeSlot(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		defer release()
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.forge.TakeSlot(ctx, r); !errors.Is(err, context.Canceled) {
		t.Errorf("a fifth slot of one caller: %v, want to wait", err)
	}
	(&client{dir: t.TempDir()}).must(t, "ls-remote", h.url("", "ada/open.git"))
}

// TestRequestsAreCounted uses up the requests of one caller.
func TestRequestsAreCounted(t *testing.T) {
	t.Parallel()
	config := forge.DefaultConfig()
	config.Requests = 2
	h := open(t, "", config)
	h.create(t, forge.NewRepository{Owner: "ada", Name: "open"})
	const path = "/git/ada/open.git/info/refs?service=git-upload-pack"
	ada := "Authorization: Bearer " + h.token(t, "ada")
	for i, want := range []int{200, 200, 429} {
		w := h.Call("GET", path, "", ada)
		if w.Code != want {
			t.Errorf("request %d: got %d, want %d", i+1, w.Code, want)
		}
		after := w.Header().Get("Retry-After")
		if want == http.StatusTooManyRequests && (after != "60" || !strings.Contains(w.Body.String(), "try again")) {
			t.Errorf("got Retry-After %q and %q", after, w.Body)
		}
	}
	for _, who := range [][]string{nil, {"Authorization: Bearer " + h.token(t, "zeno")}} {
		if w := h.Call("GET", path, "", who...); w.Code != 200 {
			t.Errorf("another caller: got %d %s", w.Code, w.Body)
		}
	}
}

// TestLargeObjects pushes objects that git would keep in memory as a whole.
// They are refused with a reason that the client shows, and the repository
// takes the next push.
func TestLargeObjects(t *testing.T) {
	t.Parallel()
	h := open(t, "", small())
	h.create(t, forge.NewRepository{Owner: "ada", Name: "stoa"})
	c := newClient(t)
	c.commit(t, "first")
	url := h.url(h.token(t, "ada"), "ada/stoa.git")
	c.must(t, "push", "-q", url, "main")
	const signatures = "author A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\n"
	message := c.raw(t, "tree TREE\n"+signatures+strings.Repeat("x", 20<<20)+"\n")
	var lines strings.Builder
	blob := c.must(t, "hash-object", "-w", "--stdin")
	for i := range 400_000 {
		fmt.Fprintf(&lines, "100644 blob %s\tf%07d\n", blob, i)
	}
	tree := c.must(t, "commit-tree", "-m", "x", c.tree(t, lines.String()))
	for name, row := range map[string]struct{ object, want string }{
		"a commit message": {message, "more than it may"},
		"a tree":           {tree, "more than it may"},
	} {
		out, err := c.git("push", url, row.object+":refs/heads/large")
		if err == nil || !strings.Contains(out, row.want) {
			t.Errorf("%s: %v, want a refusal with %q\n%s", name, err, row.want, out)
		}
	}
	zeros := filepath.Join(c.dir, "zeros")
	if err := os.WriteFile(zeros, make([]byte, 60<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	c.must(t, "add", "zeros")
	c.commit(t, "a file larger than the memory of git is taken")
	c.must(t, "push", "-q", url, "main")
	copied := &client{dir: t.TempDir()}
	copied.must(t, "clone", "-q", h.url("", "ada/stoa.git"), "copy")
	if info, err := os.Stat(filepath.Join(copied.dir, "copy", "zeros")); err != nil || info.Size() != 60<<20 {
		t.Errorf("the clone has %v %v", info, err)
	}
}

// TestCommitAsDelta pushes a commit that is small as a delta and large as a
// commit. It is recorded, and so is the next push.
func TestCommitAsDelta(t *testing.T) {
	t.Parallel()
	h := open(t, "", forge.DefaultConfig())
	h.create(t, forge.NewRepository{Owner: "ada", Name: "stoa"})
	token := h.token(t, "ada")
	pack, sha := gittest.LargeCommit(36 << 20)
	line := forge.Zero + " " + sha + " refs/heads/large\x00report-status"
	w := h.Call("POST", "/git/ada/stoa.git/git-receive-pack", fmt.Sprintf("%04x%s0000%s", len(line)+4, line, pack),
		"Authorization: Bearer "+token, "Content-Type: application/x-git-receive-pack-request")
	if w.Code != 200 || !strings.Contains(w.Body.String(), "ok refs/heads/large") {
		t.Fatalf("got %d %q, want it taken", w.Code, w.Body)
	}
	if p := newest(t, h); p.After != sha {
		t.Errorf("recorded %s, want %s", p.After, sha)
	}
	c := newClient(t)
	c.commit(t, "first")
	c.must(t, "push", "-q", h.url(token, "ada/stoa.git"), "main")
	if p := newest(t, h); p.Ref != "refs/heads/main" || len(p.Commits) != 1 {
		t.Errorf("then recorded %+v", p)
	}
}

// TestQuotas refuses pushes beyond the bounds of a repository.
func TestQuotas(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		change func(*forge.Config)
		want   string
	}{
		"objects": {func(c *forge.Config) { c.MaxObjects = 1 }, "at most 1 objects"},
		"size":    {func(c *forge.Config) { c.MaxRepository = 1 << 20 }, "more than 1 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := forge.DefaultConfig()
			row.change(&config)
			h := open(t, "", config)
			h.create(t, forge.NewRepository{Owner: "ada", Name: "stoa"})
			c := newClient(t)
			c.noise(t, 3<<19)
			out, err := c.git("push", h.url(h.token(t, "ada"), "ada/stoa.git"), "main")
			if err == nil || !strings.Contains(out, row.want) {
				t.Errorf("got %v, want a refusal with %q\n%s", err, row.want, out)
			}
		})
	}
	t.Run("refs", func(t *testing.T) {
		t.Parallel()
		config := forge.DefaultConfig()
		config.MaxRefs = 2
		h := open(t, "", config)
		h.create(t, forge.NewRepository{Owner: "ada", Name: "stoa"})
		c, url := newClient(t), h.url(h.token(t, "ada"), "ada/stoa.git")
		c.commit(t, "first")
		for i := range 10 {
			c.must(t, "push", "-q", url, fmt.Sprintf("main:a%d", 2*i), fmt.Sprintf("main:a%d", 2*i+1))
		}
		out, err := c.git("push", url, "main:more")
		if err == nil || !strings.Contains(out, "at most 20 branches and tags") {
			t.Errorf("got %v, want a refusal\n%s", err, out)
		}
	})
}

// TestDeletedDuringPush deletes a repository while a push changes it.
func TestDeletedDuringPush(t *testing.T) {
	run(t, func(t *testing.T, h *testServer) {
		r := h.create(t, forge.NewRepository{Owner: "ada", Name: "stoa"})
		_, err := h.forge.Receive(t.Context(), r, h.ada, func(ctx context.Context) error {
			return h.forge.Delete(ctx, r.ID, h.ada)
		})
		if !errors.Is(err, forge.ErrNotFound) {
			t.Errorf("the push: %v, want not found", err)
		}
		_, err = h.forge.Receive(t.Context(), r, h.ada, func(context.Context) error {
			t.Error("a push to a deleted repository began")
			return nil
		})
		if !errors.Is(err, forge.ErrNotFound) {
			t.Errorf("the next push: %v, want not found", err)
		}
		if err := h.World.Jobs.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(h.forge.Folder(r)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the folder: %v, want it gone", err)
		}
	})
}

// FuzzRequest sends anything to every address: nothing is a failure of ours.
func FuzzRequest(f *testing.F) {
	config := forge.DefaultConfig()
	config.Git, config.Requests = "true", 1<<40
	h := open(f, "", config)
	if _, err := h.forge.Create(f.Context(), forge.NewRepository{Owner: "ada", Name: "open", Actor: h.ada}); err != nil {
		f.Fatal(err)
	}
	token := "Bearer " + h.Issue(identity.IssueOptions{
		Kind: identity.KindPersonal, Services: []string{"events"}, UserID: h.ada.ID,
		Scopes: []string{forge.ScopeContentsWrite},
	})
	const upload, receive = "application/x-git-upload-pack-request", "application/x-git-receive-pack-request"
	fuzztest.Add(f, "GET", "/git/ada/open.git/info/refs?service=git-upload-pack", "", "", []byte(nil))
	fuzztest.Add(f, "GET", "/git/ada/open/info/refs?service=git-receive-pack", "", "version=2", []byte(nil))
	fuzztest.Add(f, "GET", "/git/..%2f/.git/info/refs?service=../../x", "", "version=9", []byte(nil))
	fuzztest.Add(f, "POST", "/git/ada/open.git/git-upload-pack", upload, "", []byte("0032want"))
	fuzztest.Add(f, "POST", "/git/ada/open.git/git-receive-pack", receive, "",
		[]byte("0000PACK\x00\x00\x00\x02\xff\xff\xff\xff"))
	fuzztest.Add(f, "POST", "/git/ADA/open.git.git/git-receive-pack", receive, "", []byte("0004"))
	f.Fuzz(func(t *testing.T, method, path, kind, version string, body []byte) {
		r, err := http.NewRequestWithContext(t.Context(), method, path, bytes.NewReader(body))
		if err != nil || !strings.HasPrefix(r.URL.Path, "/") {
			return
		}
		r.RemoteAddr = "192.0.2.1:1"
		r.Header.Set("Authorization", token)
		r.Header.Set("Content-Type", kind)
		r.Header.Set("Git-Protocol", version)
		if w := h.Do(r); w.Code >= 500 {
			t.Errorf("%s %q: got %d %s", method, path, w.Code, w.Body)
		}
	})
}

// TestMostRefsAtOnce: branches that are made at the same time are together no more than a repository may have.
func TestMostRefsAtOnce(t *testing.T) {
	t.Parallel()
	config := forge.DefaultConfig()
	config.MaxRefs = 1
	h := open(t, "", config)
	r := h.create(t, forge.NewRepository{Owner: "ada", Name: "stoa"})
	h.commitFile(t, r)
	var wg sync.WaitGroup
	for n := range 16 {
		wg.Go(func() {
			err := h.forge.CreateRef(t.Context(), r, fmt.Sprint("refs/heads/b", n), "main", h.ada)
			if err != nil && !errors.Is(err, forge.ErrTooLarge) {
				t.Errorf("branch %d: %v", n, err)
			}
		})
	}
	wg.Wait()
	if refs, err := h.forge.Refs(t.Context(), r); err != nil || len(refs) != 10 {
		t.Errorf("%d branches, %v; want 10", len(refs), err)
	}
}
