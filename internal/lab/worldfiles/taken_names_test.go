package worldfiles_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"stoa.dev/stoa/internal/lab/worldfiles"
)

const repo = "git/39/3983a954e5102903b7401fd0ec1d67b5.git"

func TestTaken(t *testing.T) {
	t.Parallel()
	object := repo + "/objects/ca/fe00112233445566778899aabbccddeeff0011"
	for _, name := range []string{
		"stoa.db", "root.key", "root.check", "demo.env", "blobs", "blobs/objects/ab/cd", "metrics/points/wal/00000001",
		"git", "git/39", repo, repo + "/HEAD", repo + "/packed-refs", repo + "/refs/heads/main", object,
		repo + "/objects/pack/pack-00ff.idx", repo + "/objects/info/packs", repo + "/objects/info",
	} {
		if !worldfiles.Taken(name) {
			t.Errorf("%s is left out", name)
		}
	}
	for _, name := range []string{
		"", ".", "models/stoa-engine-00", "models/lib/libggml.so", "work/x", "code/x", "server.log", "stoa.lock", "Git/39",
		repo + "/config", repo + "/CONFIG", repo + "/hooks/post-update", repo + "/info/attributes", repo + "/config.worktree",
		repo + "/commondir", repo + "/gitdir", repo + "/worktrees/a/gitdir", repo + "/modules/a/config",
		repo + "/objects/info/alternates", repo + "/objects/INFO/alternates", repo + "/objects/info/http-alternates",
		repo + "/refs/../config", "blobs/../" + repo + "/config", "blobs/./x", `blobs\..\x`, "git/39/x.git/config",
		"git/39/x.git", "git/config", "git/39/config",
	} {
		if worldfiles.Taken(name) {
			t.Errorf("%s is taken", name)
		}
	}
}

// TestConfigureRepositories: a repository has the configuration that git init gives it, whatever it had.
func TestConfigureRepositories(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fresh := filepath.Join(dir, "fresh.git")
	if out, err := exec.Command("git", "init", "-q", "--bare", "--template=", fresh).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want, err := os.ReadFile(filepath.Join(fresh, "config"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, repo), 0o700); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := worldfiles.ConfigureRepositories(root); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, repo, "config")); err != nil || string(got) != string(want) {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}
