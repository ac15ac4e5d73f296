package git

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"stoa.dev/stoa/internal/forge/git/gittest"
)

// TestGitStaysWithinItsMemory gives git, without the check before it, packs of
// a few kilobytes that stand for gigabytes. It dies within its bounds.
func TestGitStaysWithinItsMemory(t *testing.T) {
	t.Parallel()
	if len((limits{}).shell()) == 0 {
		t.Fatal("git programs have no bounds")
	}
	dir := filepath.Join(t.TempDir(), "bare.git")
	if out, err := exec.Command("git", "init", "-q", "--bare", dir).CombinedOutput(); err != nil {
		t.Fatalf("init: %v\n%s", err, out)
	}
	const memory = 64 << 20
	g := New(options(t))
	if err := os.MkdirAll(g.root, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, pack := range map[string][]byte{
		"a delta of a file":   gittest.Bomb(gittest.Blob, 600<<20),
		"a delta of a commit": gittest.Bomb(gittest.Commit, 600<<20),
		"a commit":            gittest.Pack(gittest.Zeros(gittest.Commit, 80<<20)),
		"a tree":              gittest.Pack(gittest.Zeros(gittest.Tree, 80<<20)),
	} {
		if len(pack) > 300<<10 {
			t.Errorf("%s: the pack has %d bytes", name, len(pack))
		}
		cmd := g.Command(t.Context(), Slot{Memory: memory}, dir, "index-pack", "--stdin", "--strict")
		cmd.Stdin = bytes.NewReader(pack)
		_, err := Collect(t.Context(), cmd, "index-pack", 1000)
		if !IsRunError(err) {
			t.Errorf("%s: got %v, want git to fail", name, err)
		}
		// Before it runs git the new process is a copy of this one, which counts.
		var own syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil {
			t.Fatal(err)
		}
		limit := max(memory+32<<20, own.Maxrss<<10)
		if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); !ok || usage.Maxrss<<10 > limit {
			t.Errorf("%s: git took %d MiB, want at most %d", name, usage.Maxrss>>10, limit>>20)
		}
	}
	// What is small passes.
	cmd := g.Command(t.Context(), Slot{Memory: memory}, dir, "index-pack", "--stdin")
	cmd.Stdin = bytes.NewReader(gittest.Bomb(gittest.Blob, 8<<20))
	if out, err := Collect(t.Context(), cmd, "index-pack", 1000); err != nil {
		t.Errorf("a small pack: %v\n%s", err, out)
	}
}

// TestBoundsReachEveryProgram looks at the limits from inside.
func TestBoundsReachEveryProgram(t *testing.T) {
	t.Parallel()
	if len((limits{}).shell()) == 0 {
		t.Fatal("git programs have no bounds")
	}
	o := options(t)
	o.Program = "/bin/sh"
	g := New(o)
	if err := os.MkdirAll(g.root, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := g.Command(context.Background(), Slot{Memory: 64 << 20}, "")
	cmd.Args = append(cmd.Args[:5:5], "-c", "ulimit -d; ulimit -v; ulimit -t; ulimit -f; ulimit -c")
	out, err := Collect(t.Context(), cmd, "sh", 1000)
	if want := "65536\n1114112\n600\n20971520\n0\n"; err != nil || string(out) != want {
		t.Errorf("got %q %v, want %q", out, err, want)
	}
}
