package seal_test

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/seal"
)

// childFolder makes this test binary a process that opens the folder, prints the key check value and ends.
const childFolder = "STOA_SEAL_TEST_FOLDER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childFolder); dir != "" {
		b, err := seal.Open(dir, "", ids.Random())
		if err != nil {
			os.Stderr.WriteString(err.Error())
			os.Exit(1)
		}
		os.Stdout.WriteString(b.Check())
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestFolderKey(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, err := seal.Open(dir, "", ids.Random())
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, seal.KeyFile))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := info.Mode().Perm(), os.FileMode(0o600); got != want {
		t.Errorf("mode = %v, want %v", got, want)
	}
	again, err := seal.Open(dir, "", ids.Random())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := again.Check(), first.Check(); got != want {
		t.Errorf("second start has key %s, want %s", got, want)
	}
	if got, want := files(t, dir), "root.check root.key"; got != want {
		t.Errorf("files = %s, want %s", got, want)
	}
}

func files(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

func TestOperatorKey(t *testing.T) {
	t.Parallel()
	raw := []byte("0123456789abcdefghijklmnopqrstuv")
	rows := []struct{ name, text string }{
		{"raw", string(raw)},
		{"hexadecimal", hex.EncodeToString(raw) + "\n"},
		{"upper-case hexadecimal", strings.ToUpper(hex.EncodeToString(raw)) + "\r\n"},
		{"base64", base64.StdEncoding.EncodeToString(raw) + "\n"},
	}
	want := ""
	for _, row := range rows {
		dir, path := t.TempDir(), write(t, row.text, 0o400)
		b, err := seal.Open(dir, path, ids.Random())
		if err != nil {
			t.Fatalf("%s: %v", row.name, err)
		}
		if want == "" {
			want = b.Check()
		}
		if got := b.Check(); got != want {
			t.Errorf("%s: check = %s, want %s", row.name, got, want)
		}
		if got, want := files(t, dir), seal.CheckFile; got != want {
			t.Errorf("%s: folder holds %s, want %s", row.name, got, want)
		}
	}
}

func write(t *testing.T, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOpenFolderRefuses(t *testing.T) {
	t.Parallel()
	good := strings.Repeat("ab", 32)

	t.Run("modes", func(t *testing.T) {
		t.Parallel()
		for _, mode := range []os.FileMode{0o644, 0o640, 0o604, 0o660, 0o602, 0o610, 0o777} {
			_, err := seal.Open(t.TempDir(), write(t, good, mode), ids.Random())
			if !errors.Is(err, seal.ErrExposed) {
				t.Errorf("mode %04o: Open = %v, want ErrExposed", mode, err)
			}
		}
	})
	t.Run("a folder key opened to others later", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		if _, err := seal.Open(dir, "", ids.Random()); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(dir, seal.KeyFile), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := seal.Open(dir, "", ids.Random()); !errors.Is(err, seal.ErrExposed) {
			t.Errorf("Open = %v, want ErrExposed", err)
		}
	})
	t.Run("content", func(t *testing.T) {
		t.Parallel()
		for _, text := range []string{"", "short", good[:62], good + "ab", strings.Repeat("z", 64),
			strings.Repeat("a", 1<<20)} {
			_, err := seal.Open(t.TempDir(), write(t, text, 0o600), ids.Random())
			if !errors.Is(err, seal.ErrMalformed) {
				t.Errorf("%d bytes: Open = %v, want ErrMalformed", len(text), err)
			}
		}
	})
	t.Run("a key file that is not there is not made", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "none")
		if _, err := seal.Open(t.TempDir(), path, ids.Random()); !errors.Is(err, os.ErrNotExist) ||
			!strings.Contains(err.Error(), "root_key (STOA_ROOT_KEY) names its file") {
			t.Errorf("Open = %v, want ErrNotExist and the setting", err)
		}
		if _, err := os.Stat(path); err == nil {
			t.Error("the key file was made")
		}
	})
	t.Run("a pipe does not hang the start", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "pipe")
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := seal.Open(t.TempDir(), path, ids.Random()); !errors.Is(err, seal.ErrMalformed) {
			t.Errorf("Open = %v, want ErrMalformed", err)
		}
	})
	t.Run("a link in the folder", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		if err := os.Symlink(write(t, good, 0o600), filepath.Join(dir, seal.KeyFile)); err != nil {
			t.Fatal(err)
		}
		if _, err := seal.Open(dir, "", ids.Random()); !errors.Is(err, syscall.ELOOP) {
			t.Errorf("Open = %v, want ELOOP", err)
		}
	})
}

func TestOpenKnowsTheFoldersKey(t *testing.T) {
	t.Parallel()
	t.Run("another key", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		if _, err := seal.Open(dir, write(t, strings.Repeat("ab", 32), 0o600), ids.Random()); err != nil {
			t.Fatal(err)
		}
		_, err := seal.Open(dir, write(t, strings.Repeat("cd", 32), 0o600), ids.Random())
		if !errors.Is(err, seal.ErrWrongKey) {
			t.Errorf("Open = %v, want ErrWrongKey", err)
		}
	})
	t.Run("a lost key is not replaced", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		if _, err := seal.Open(dir, "", ids.Random()); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(dir, seal.KeyFile)); err != nil {
			t.Fatal(err)
		}
		if _, err := seal.Open(dir, "", ids.Random()); !errors.Is(err, seal.ErrMissing) {
			t.Errorf("Open = %v, want ErrMissing", err)
		}
	})
}

func TestProcessesThatStartTogetherShareOneKey(t *testing.T) {
	t.Parallel()
	for range 3 {
		dir := t.TempDir()
		checks := make([]string, 4)
		var all sync.WaitGroup
		for i := range checks {
			all.Go(func() {
				cmd := exec.CommandContext(t.Context(), os.Args[0])
				cmd.Env = append(os.Environ(), childFolder+"="+dir)
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Errorf("process %d: %v: %s", i, err, out)
				}
				checks[i] = string(out)
			})
		}
		all.Wait()
		for _, got := range checks {
			if got != checks[0] || len(got) != 32 {
				t.Fatalf("key check values differ: %q", checks)
			}
		}
		if got, want := files(t, dir), "root.check root.key"; got != want {
			t.Errorf("files = %s, want %s", got, want)
		}
	}
}

// TestWithdraw lets a folder take the right key after a start with a wrong one that the database refused; a check
// value that was there before stays.
func TestWithdraw(t *testing.T) {
	t.Parallel()
	dir, right := t.TempDir(), write(t, strings.Repeat("ab", 32), 0o600)
	wrong, err := seal.Open(dir, "", ids.Random())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := seal.Open(dir, right, ids.Random()); !errors.Is(err, seal.ErrWrongKey) {
		t.Errorf("another key: Open = %v, want ErrWrongKey", err)
	}
	for range 2 {
		if err := wrong.Withdraw(); err != nil {
			t.Errorf("Withdraw = %v", err)
		}
	}
	for range 2 {
		if _, err := seal.Open(dir, right, ids.Random()); err != nil {
			t.Fatalf("the right key: Open = %v", err)
		}
		// Only who left it may take it back.
		if err := wrong.Withdraw(); err != nil || !strings.Contains(files(t, dir), seal.CheckFile) {
			t.Errorf("Withdraw = %v, folder holds %s", err, files(t, dir))
		}
	}
	again, err := seal.Open(dir, right, ids.Random())
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Withdraw(); err != nil || !strings.Contains(files(t, dir), seal.CheckFile) {
		t.Errorf("of a later start: Withdraw = %v, folder holds %s", err, files(t, dir))
	}
}
