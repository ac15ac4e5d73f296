package tree

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// chain makes folders in folders, deeper than any path can name.
func chain(t *testing.T, dir string, levels int) {
	t.Helper()
	fd, err := unix.Open(dir, unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	for range levels {
		if err := unix.Mkdirat(fd, "d", 0o755); err != nil {
			t.Fatal(err)
		}
		next, err := unix.Openat(fd, "d", unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		_ = unix.Close(fd)
		fd = next
	}
	_ = unix.Close(fd)
}

// TestDeepTree walks and removes trees that are far deeper than a walk goes, in
// a time that does not grow with the square of their depth.
func TestDeepTree(t *testing.T) {
	t.Parallel()
	runtime.LockOSThread() // whose time is counted
	defer runtime.UnlockOSThread()
	const shallow, deep = 500, 2000
	few, many := removal(t, shallow), removal(t, deep)
	// Four times as deep, and slack for the machine; the square would be sixteen.
	if limit := 10 * max(few, 10*time.Millisecond); many > limit {
		t.Errorf("%d levels took %s and %d took %s, want at most %s", shallow, few, deep, many, limit)
	}
}

// removal is the processor's time for walking and removing a tree of so many
// levels; how busy the machine is does not count.
func removal(t *testing.T, levels int) time.Duration {
	t.Helper()
	dir := t.TempDir()
	chain(t, dir, levels)
	begun := threadTime(t)
	seen := 0
	err := Walk(dir, func(int, string, *unix.Stat_t) error { seen++; return nil })
	if !errors.Is(err, ErrTooLarge) || seen != maxLevels+1 {
		t.Errorf("walk saw %d folders and returned %v; want %d and ErrTooLarge", seen, err, maxLevels+1)
	}
	if err := Remove(dir); err != nil {
		t.Errorf("Remove: %v", err)
	}
	took := threadTime(t) - begun
	if _, err := os.Lstat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after Remove: %v", err)
	}
	return took
}

func threadTime(t *testing.T) time.Duration {
	t.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestRemove removes what programs leave, and nothing that their links lead to.
func TestRemove(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "kept"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "work")
	for _, name := range []string{"a/b/c", "a/removed-1/x", "removed-1/y", "removed-3", "closed/in/deep"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"link": outside, "a/b/link": outside, "closed/in/link": "/"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "removed-2"), []byte("x"), 0); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"closed/in", "closed"} {
		if err := os.Chmod(filepath.Join(dir, name), 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := Remove(dir); err != nil {
		t.Errorf("Remove: %v", err)
	}
	if _, err := os.Lstat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after Remove: %v", err)
	}
	if _, err := os.Lstat(filepath.Join(outside, "kept")); err != nil {
		t.Errorf("outside: %v", err)
	}
	if err := Remove(dir); err != nil {
		t.Errorf("Remove of nothing: %v", err)
	}
}

// TestClosedFolders walks and removes what a program closed to its owner. Root
// is never kept out, so as root the test runs itself as another user.
func TestClosedFolders(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("STOA_TEST_CLOSED")
	if os.Geteuid() == 0 {
		dir = t.TempDir()
		for d := dir; d != os.TempDir() && d != "/"; d = filepath.Dir(d) {
			if err := os.Chmod(d, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chown(dir, 65534, 65534); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("/proc/self/exe", "-test.run=^TestClosedFolders$", "-test.v")
		cmd.Env, cmd.Dir = append(os.Environ(), "STOA_TEST_CLOSED="+dir), "/"
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "PASS: TestClosedFolders") {
			t.Errorf("as another user: %v\n%s", err, out)
		}
		return
	}
	if dir == "" {
		dir = t.TempDir()
	}
	work := filepath.Join(dir, "work")
	if err := os.MkdirAll(filepath.Join(work, "closed", "in"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(work, "closed", "in", "large"), make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"closed/in", "closed", "."} {
		if err := os.Chmod(filepath.Join(work, name), 0o300); err != nil {
			t.Fatal(err)
		}
	}
	size := int64(0)
	if err := Walk(work, func(_ int, _ string, st *unix.Stat_t) error { size += st.Size; return nil }); err != nil {
		t.Errorf("Walk: %v", err)
	}
	if size < 1<<20 {
		t.Errorf("Walk saw %d bytes, want the file in the closed folder", size)
	}
	if info, err := os.Stat(work); err != nil || info.Mode().Perm() != 0o300 {
		t.Errorf("after looking: %v, %v; want the folder closed again", info.Mode(), err)
	}
	if err := Remove(work); err != nil {
		t.Errorf("Remove: %v", err)
	}
}
