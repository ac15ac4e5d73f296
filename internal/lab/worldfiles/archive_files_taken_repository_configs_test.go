package worldfiles_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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

// TestExcess: what is read whole is small, and no path is so deep that its folder could not be removed.
func TestExcess(t *testing.T) {
	t.Parallel()
	deep := "blobs" + strings.Repeat("/a", 65)
	for _, row := range []struct {
		name string
		size int64
		want bool
	}{
		{"stoa.db", 1 << 40, false}, {"blobs/objects/ab/cd%", 1 << 40, false}, {"demo.env", 1 << 10, false},
		{repo + "/objects/pack/pack-00ff.pack", 1 << 40, false}, {"metrics/points/wal/00000001", 1 << 30, false},
		{"demo.env", 1<<20 + 1, true}, {"root.key", 1 << 40, true}, {"blobs/due/1-ab", 1 << 40, true},
		{"blobs/uploads/ab.json", 1 << 40, true}, {"metrics/points/01ABC/meta.json", 1 << 40, true},
		{repo + "/HEAD", 1 << 40, true}, {repo + "/refs/heads/main", 1 << 40, true},
		{deep, 0, true}, {"blobs/" + strings.Repeat("a", 1024), 0, true},
	} {
		if got := worldfiles.Excess(row.name, row.size); (got != "") != row.want {
			t.Errorf("%.40s of %d bytes: %q, want a refusal: %t", row.name, row.size, got, row.want)
		}
	}
}

// TestKeepVariables: what a program is started with are credentials, whatever the file says.
func TestKeepVariables(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := "export STOA_REPO='ada/engine'\nexport MARY_TOKEN='0123456789abcdef'\nexport LD_PRELOAD='/tmp/x.so'\n" +
		"export GIT_SSH_COMMAND='sh -c id'\nexport NODE_OPTIONS='--require=/tmp/x'\nexport x; id; y='0123456789abcdef'\n" +
		"export CI='1'\nexport STOA_USER='ada'\nexport STOA_BIN='/tmp/x'\nexport STOA_LAB_URL='http://192.0.2.1'\n" +
		"export STOA_LAB_TOKEN='0123456789abcdef'\nexport STOA_PIPELINES_EXECUTOR='host'\n" +
		"export STOA_DATABASE_URL='postgres://192.0.2.1/x'\nexport STOA_ROOT_KEY='0123456789abcdef'\n" +
		"export STOA_TOKEN='../../x'\n"
	if err := os.WriteFile(filepath.Join(dir, "demo.env"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := worldfiles.KeepVariables(root); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "demo.env"))
	const want = "export MARY_TOKEN='0123456789abcdef'\nexport STOA_REPO='ada/engine'\nexport STOA_USER='ada'\n"
	if err != nil || string(got) != want {
		t.Errorf("got %s %v, want %s", got, err, want)
	}
}
