package forge_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/forge"
)

// tree makes a tree of lines as ls-tree prints them and returns its name.
func (c *client) tree(t *testing.T, lines string) string {
	t.Helper()
	cmd := exec.Command("git", "mktree")
	cmd.Dir, cmd.Stdin = c.dir, strings.NewReader(lines)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("mktree: %v", err)
	}
	return strings.TrimSpace(string(out))
}

// TestCheckout checks out what fits and refuses, before a file is made,
// what a few objects stand for.
func TestCheckout(t *testing.T) {
	t.Parallel()
	h := open(t, "", forge.DefaultConfig())
	r := h.create(t, forge.NewRepository{Owner: "ada", Name: "stoa"})
	c := newClient(t)
	if err := os.WriteFile(filepath.Join(c.dir, "zeros"), make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	blob := c.must(t, "hash-object", "-w", "zeros")
	repeat := func(kind, object string, times int) string {
		var b strings.Builder
		for i := range times {
			fmt.Fprintf(&b, "%s %s\tf%04d\n", kind, object, i)
		}
		return c.tree(t, b.String())
	}
	small := repeat("100644 blob", blob, 3)
	folders := c.tree(t, "")
	for range 9 {
		folders = repeat("040000 tree", folders, 10)
	}
	deep := small
	for range 300 {
		deep = c.tree(t, "040000 tree "+deep+"\td\n")
	}
	const limit = 16 << 20
	for _, tc := range []struct{ name, tree, want string }{
		{"small", small, ""},
		{"one file often", repeat("100644 blob", blob, 1000), "more than 16 MiB"},
		{"folders without files", folders, "more than 16 MiB"},
		{"deep", deep, "folders more than 200 deep"},
	} {
		commit := c.must(t, "commit-tree", "-m", "x", tc.tree)
		branch := "refs/heads/" + strings.ReplaceAll(tc.name, " ", "-")
		c.must(t, "push", "-q", h.url(h.token(t, "ada"), "ada/stoa.git"), commit+":"+branch)
		dir := t.TempDir()
		begun := time.Now()
		err := h.forge.Checkout(t.Context(), r, commit, "", dir, limit)
		if took := time.Since(begun); took > 20*time.Second {
			t.Errorf("%s: took %s", tc.name, took)
		}
		made, _ := os.ReadDir(dir)
		switch {
		case tc.want == "" && (err != nil || len(made) != 4):
			t.Errorf("%s: %v with %d files, want 3 and .git", tc.name, err, len(made))
		case tc.want == "":
		case !errors.Is(err, forge.ErrTooLarge) || !strings.Contains(err.Error(), tc.want) || len(made) != 0:
			t.Errorf("%s: %v with %d files, want %q and none", tc.name, err, len(made), tc.want)
		}
	}
	if err := h.forge.Checkout(t.Context(), r, "small", "", t.TempDir(), 100); !errors.Is(err, forge.ErrTooLarge) {
		t.Errorf("without space for the history: %v, want too large", err)
	}
}
