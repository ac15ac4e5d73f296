package database_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/folderlock"
)

// child starts this test binary as another process; see TestMain.
func child(t *testing.T, does, dir string) (cmd *exec.Cmd, stdin io.Closer, stdout *bufio.Reader) {
	t.Helper()
	cmd = exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+does, childDirEnv+"="+dir)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, in, bufio.NewReader(out)
}

func lockInChild(t *testing.T, dir string) (*exec.Cmd, io.Closer) {
	t.Helper()
	cmd, in, out := child(t, "lock", dir)
	if line, err := out.ReadString('\n'); line != "locked\n" {
		t.Fatalf("child said %q, %v", line, err)
	}
	return cmd, in
}

func TestLockFolder(t *testing.T) {
	t.Parallel()
	owned := func(t *testing.T, dir string, pid int) {
		t.Helper()
		_, err := folderlock.Open(dir)
		var got *folderlock.OwnedError
		if !errors.As(err, &got) || got.PID != pid || got.Dir != dir {
			t.Fatalf("LockFolder = %v, want owned by %d", err, pid)
		}
		if !strings.Contains(err.Error(), dir) {
			t.Errorf("error %q does not name the folder", err)
		}
	}
	free := func(t *testing.T, dir string) {
		t.Helper()
		l, err := folderlock.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Unlock(); err != nil {
			t.Error(err)
		}
	}

	t.Run("another process owns it until it ends", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		cmd, in := lockInChild(t, dir)
		owned(t, dir, cmd.Process.Pid)
		if err := in.Close(); err != nil {
			t.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
		free(t, dir)
	})
	t.Run("a killed owner owns nothing", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		cmd, _ := lockInChild(t, dir)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // reports the kill
		left, err := os.ReadFile(filepath.Join(dir, "stoa.lock"))
		if err != nil || len(left) == 0 {
			t.Errorf("lock file = %q, %v; want the dead owner's pid", left, err)
		}
		free(t, dir)
	})
	t.Run("this process owns it", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		l, err := folderlock.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		owned(t, dir, os.Getpid())
		if err := l.Unlock(); err != nil {
			t.Error(err)
		}
		free(t, dir)
	})
	t.Run("no folder", func(t *testing.T) {
		t.Parallel()
		if _, err := folderlock.Open(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("err = %v, want not exist", err)
		}
	})
}

// TestFilesArePrivate: the data folder's own mode may be relaxed by its owner,
// the files stay closed.
func TestFilesArePrivate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db, err := database.Open(t.Context(), database.Options{Dir: dir, Clock: clock.Real()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if err := db.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
		_, err := tx.Exec(t.Context(), "CREATE TABLE things (id INTEGER)")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "stoa.db*"))
	if err != nil || len(files) < 2 {
		t.Fatalf("got files %v, %v; want the database and its log", files, err)
	}
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if mode := info.Mode().Perm(); mode != 0o600 {
			t.Errorf("%s has mode %o, want 600", filepath.Base(file), mode)
		}
	}
}
