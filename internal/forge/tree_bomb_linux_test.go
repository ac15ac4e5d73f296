package forge_test

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/forge"
)

// treeBomb is a commit of a few kilobytes that names 10^levels files.
func (c *client) treeBomb(t *testing.T, levels int) string {
	t.Helper()
	feed := func(in string, args ...string) string {
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir, cmd.Stdin = c.dir, strings.NewReader(in)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %v: %v", args, err)
		}
		return strings.TrimSpace(string(out))
	}
	below, mode, kind := feed("x", "hash-object", "-w", "--stdin"), "100644", "blob"
	for range levels {
		var lines strings.Builder
		for n := range 10 {
			fmt.Fprintf(&lines, "%s %s %s\t%d\n", mode, kind, below, n)
		}
		below, mode, kind = feed(lines.String(), "mktree"), "040000", "tree"
	}
	sha := feed("", "-c", "user.name=a", "-c", "user.email=a@b", "commit-tree", "-m", "bomb", below)
	feed("", "update-ref", "refs/heads/main", sha)
	return sha
}

// TestTreesThatMultiply: what git cannot show within its limits is refused as too large, and
// is no failure of the server. Programs have limits on Linux only.
func TestTreesThatMultiply(t *testing.T) {
	t.Parallel()
	h := open(t, "", small())
	r := h.create(t, forge.NewRepository{Owner: "ada", Name: "bomb"})
	c := newClient(t)
	sha := c.treeBomb(t, 8)
	c.must(t, "push", "-q", h.url(h.token(t, "ada"), "ada/bomb.git"), "main")
	for name, read := range map[string]func() error{
		"difference": func() error {
			_, err := h.forge.Diff(t.Context(), r, "", sha)
			return err
		},
		"archive": func() error {
			_, err := h.forge.Archive(t.Context(), r, sha, "zip")
			return err
		},
	} {
		if err := read(); !errors.Is(err, forge.ErrTooLarge) {
			t.Errorf("%s: %v, want that it is too large", name, err)
		}
	}
	if _, _, whole, err := h.forge.Tree(t.Context(), r, sha, true); err != nil || whole {
		t.Errorf("tree: whole %t, %v; want its beginning", whole, err)
	}
}
