package files_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/platform/blob"
	"stoa.dev/stoa/internal/platform/blob/blobtest"
	"stoa.dev/stoa/internal/platform/blob/files"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/ids"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	blobtest.Suite(t, func(t *testing.T, c clock.Clock) func() blob.Store {
		dir := t.TempDir()
		return func() blob.Store {
			s, err := files.New(dir, c, ids.Random())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			return s
		}
	})
}

func openFiles(t testing.TB, dir string) *files.Store {
	t.Helper()
	c := clock.NewVirtual(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	s, err := files.New(dir, c, ids.Random())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func put(t testing.TB, s blob.Store, key, text string) {
	t.Helper()
	if _, err := s.Put(context.Background(), key, strings.NewReader(text),
		blob.PutOptions{ContentType: "text/plain"}); err != nil {
		t.Fatal(err)
	}
}

func TestDamagedFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openFiles(t, dir)
	put(t, s, "k", "data")
	path := filepath.Join(dir, "objects", "k%")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	try := func(t *testing.T, what string, text []byte) {
		t.Helper()
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if r, _, err := s.Open(t.Context(), "k"); err == nil || errors.Is(err, blob.ErrNotFound) {
			t.Errorf("%s: Open = %v, %v, want an error that says damaged", what, r, err)
		}
	}
	for i := 4; i < len(whole); i++ { // Every byte of the footer.
		text := []byte(string(whole))
		text[i] ^= 1
		try(t, "one bit", text)
	}
	for i := range whole {
		try(t, "cut", whole[:i])
	}
	try(t, "longer", append([]byte("x"), whole...))

	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path, filepath.Join(dir, "objects", "moved%")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Stat(t.Context(), "moved"); !errors.Is(err, blob.ErrDamaged) {
		t.Errorf("an object under another's name: Stat = %v, want ErrDamaged", err)
	}
}

// A link planted in the folder must not lead out of it.
func TestFilesStayInside(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	s := openFiles(t, dir)
	if err := os.Symlink(outside, filepath.Join(dir, "objects", "link")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(t.Context(), "link/k", strings.NewReader("x"), blob.PutOptions{}); err == nil {
		t.Error("Put through a link = nil, want an error")
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) != 0 {
		t.Errorf("outside holds %v, %v, want nothing", entries, err)
	}
}

func TestFilesLeaveNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openFiles(t, dir)
	put(t, s, "a/b/c", "x")
	if _, err := s.Put(t.Context(), "big", strings.NewReader("xx"), blob.PutOptions{MaxSize: 1}); !errors.Is(err,
		blob.ErrTooLarge) {
		t.Fatalf("Put = %v, want ErrTooLarge", err)
	}
	if err := s.Delete(t.Context(), "a/b/c"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "tmp", "left"), []byte("by a dead process"), 0o600); err != nil {
		t.Fatal(err)
	}
	openFiles(t, dir)
	for _, folder := range []string{"objects", "tmp", "uploads", "due"} {
		entries, err := os.ReadDir(filepath.Join(dir, folder))
		if err != nil {
			t.Fatal(err)
		}
		if len(entries) != 0 {
			t.Errorf("%s holds %v, want nothing", folder, entries)
		}
	}
}

// The states in which a process can die during a commit and an append, made by hand.
func TestUploadAfterACrash(t *testing.T) {
	t.Parallel()
	begin := func(t *testing.T) (dir string, s *files.Store, u blob.Upload, state []byte) {
		dir = t.TempDir()
		s = openFiles(t, dir)
		u, err := s.Create(t.Context(), "k", blob.UploadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := u.Append(t.Context(), 0, strings.NewReader("abc")); err != nil {
			t.Fatal(err)
		}
		state, err = os.ReadFile(filepath.Join(dir, "uploads", u.ID()+".json"))
		if err != nil {
			t.Fatal(err)
		}
		return dir, s, u, state
	}
	t.Run("after the rename, before the state went", func(t *testing.T) {
		t.Parallel()
		dir, _, u, state := begin(t)
		want, err := u.Commit(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "uploads", u.ID()+".json"), state, 0o600); err != nil {
			t.Fatal(err)
		}
		s := openFiles(t, dir)
		again, err := s.Resume(t.Context(), u.ID())
		if err != nil {
			t.Fatal(err)
		}
		if got, err := again.Commit(t.Context()); err != nil || got != want {
			t.Errorf("Commit = %+v, %v, want %+v", got, err, want)
		}
		if _, err := s.Resume(t.Context(), u.ID()); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("Resume = %v, want ErrNotFound", err)
		}
	})
	t.Run("bytes beyond the durable offset", func(t *testing.T) {
		t.Parallel()
		dir, _, u, _ := begin(t)
		f, err := os.OpenFile(filepath.Join(dir, "uploads", u.ID()+".part"), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(strings.Repeat("\x00", 5000)); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		s := openFiles(t, dir)
		again, err := s.Resume(t.Context(), u.ID())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := again.Append(t.Context(), 3, strings.NewReader("def")); err != nil {
			t.Fatal(err)
		}
		if _, err := again.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		r, _, err := s.Open(t.Context(), "k")
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if got, err := io.ReadAll(r); err != nil || string(got) != "abcdef" {
			t.Errorf("read %q, %v, want abcdef", got, err)
		}
	})
	t.Run("a part without a state is swept", func(t *testing.T) {
		t.Parallel()
		dir, s, u, _ := begin(t)
		if err := os.Remove(filepath.Join(dir, "uploads", u.ID()+".json")); err != nil {
			t.Fatal(err)
		}
		if n, err := s.Sweep(t.Context(), time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)); err != nil || n != 1 {
			t.Errorf("Sweep = %d, %v, want 1", n, err)
		}
	})
}

func BenchmarkFilesOpen(b *testing.B) {
	s := openFiles(b, b.TempDir())
	put(b, s, "k", strings.Repeat("x", 10000))
	b.ReportAllocs()
	for b.Loop() {
		r, _, err := s.Open(b.Context(), "k")
		if err != nil {
			b.Fatal(err)
		}
		if err := r.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
