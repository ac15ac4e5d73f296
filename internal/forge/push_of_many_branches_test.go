package forge_test

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/forge"
)

// pushBranches pushes new branches, each of as many commits with messages of a length.
func (h *testServer) pushBranches(t *testing.T, name string, branches, commits, length int) []forge.Push {
	t.Helper()
	r := h.create(t, forge.NewRepository{Owner: "ada", Name: name})
	var stream strings.Builder
	for b := range branches {
		for n := range commits {
			branch := fmt.Sprintf("b%d", b)
			if b == branches-1 {
				branch = "main"
			}
			fmt.Fprintf(&stream, "commit refs/heads/%s\ncommitter Ada <ada@example.com> 1700000000 +0000\n", branch)
			message := fmt.Sprintf("%d.%d %s", b, n, strings.Repeat("x", length))
			fmt.Fprintf(&stream, "data %d\n%s\n", len(message), message)
		}
	}
	c := newClient(t)
	cmd := exec.CommandContext(t.Context(), "git", "fast-import", "--quiet")
	cmd.Dir, cmd.Stdin = c.dir, strings.NewReader(stream.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("fast-import: %v\n%s", err, out)
	}
	c.must(t, "push", "-q", "--all", h.url(h.token(t, "ada"), "ada/"+name+".git"))
	pushes, err := h.forge.Pushes(t.Context(), r, branches+1)
	if err != nil || len(pushes) != branches {
		t.Fatalf("%d pushes, %v; want %d", len(pushes), err, branches)
	}
	return pushes
}

// TestPushOfLongCommits: a small push with many branches of long, well packed messages keeps no more of them than fits.
func TestPushOfLongCommits(t *testing.T) {
	t.Parallel()
	h := open(t, "", forge.DefaultConfig())
	text, kept := 0, 0
	for _, p := range h.pushBranches(t, "long", 20, forge.MaxCommits, 30_000) {
		if p.Size != forge.MaxCommits || p.DistinctSize != forge.MaxCommits {
			t.Errorf("%s has %d commits, %d of them new; want %d", p.Ref, p.Size, p.DistinctSize, forge.MaxCommits)
		}
		for _, c := range p.Commits {
			text += len(c.Message)
		}
		kept += min(1, len(p.Commits))
	}
	if text > 8<<20 || kept < 10 || kept == 20 {
		t.Errorf("%d bytes of commits of %d branches are kept, want at most 8 MiB of more than 10", text, kept)
	}
}

// TestPushOfManyBranches: a push of more branches than are looked at one by one is recorded all the same.
func TestPushOfManyBranches(t *testing.T) {
	t.Parallel()
	h := open(t, "", forge.DefaultConfig())
	counted := 0
	for _, p := range h.pushBranches(t, "many", 210, 1, 1) {
		counted += int(p.Size)
		if p.Ref == "refs/heads/main" && p.Size == 0 {
			t.Error("the commits of the default branch are not counted")
		}
	}
	if counted != 201 {
		t.Errorf("the commits of %d branches are counted, want 200 and the default one", counted)
	}
	if seen := h.observed(); len(seen) != 210+201 {
		t.Errorf("%d activities, want 210 new branches and 201 pushes", len(seen))
	}
}
