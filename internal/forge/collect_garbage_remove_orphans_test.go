package forge_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/clock"
)

func TestRepositoriesArePacked(t *testing.T) {
	run(t, func(t *testing.T, h *testServer) {
		r := h.create(t, forge.NewRepository{Owner: "ada", Name: "stoa"})
		folder, c := h.forge.Folder(r), newClient(t)
		c.must(t, "--git-dir="+folder, "hash-object", "-t", "tree", "-w", "/dev/null")
		const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
		for i := range 25 {
			commit := c.must(t, "--git-dir="+folder, "commit-tree", emptyTree, "-m", fmt.Sprint("commit ", i))
			c.must(t, "--git-dir="+folder, "update-ref", fmt.Sprintf("refs/heads/b%d", i), commit)
			c.must(t, "--git-dir="+folder, "repack", "-d", "-q")
		}
		if n := len(packs(t, folder)); n < 21 {
			t.Fatalf("%d packs before, want more than git's limit of 20", n)
		}
		h.Clock.Advance(24 * time.Hour)
		if err := h.World.Jobs.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := len(packs(t, folder)); n > 2 {
			t.Errorf("%d packs after a day, want them packed into one", n)
		}
		if n := len(strings.Fields(c.must(t, "--git-dir="+folder, "for-each-ref", "--format=%(objectname)"))); n != 25 {
			t.Errorf("%d branches after packing, want 25", n)
		}
	})
}

func packs(t *testing.T, folder string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(folder, "objects", "pack", "*.pack"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestOrphansAreRemoved(t *testing.T) {
	run(t, func(t *testing.T, h *testServer) {
		kept := h.forge.Folder(h.create(t, forge.NewRepository{Owner: "ada", Name: "stoa"}))
		root := filepath.Dir(filepath.Dir(kept))
		old := filepath.Join(root, "ab", "ab"+strings.Repeat("0", 30)+".git")
		young := filepath.Join(root, "ab", "ab"+strings.Repeat("1", 30)+".git")
		for dir, age := range map[string]time.Duration{kept: 48 * time.Hour, old: 48 * time.Hour, young: time.Hour} {
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			then := clock.Real().Now().Add(-age) // files are of the machine, whatever the world's clock says
			if err := os.Chtimes(dir, then, then); err != nil {
				t.Fatal(err)
			}
		}
		if err := h.Module.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		for dir, want := range map[string]bool{kept: true, old: false, young: true} {
			if _, err := os.Stat(dir); (err == nil) != want {
				t.Errorf("%s: %v, want it there: %v", filepath.Base(dir), err, want)
			}
		}
	})
}
