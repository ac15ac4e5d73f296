package memorydiskuse

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestEnough ends a look at the folder that is over its bound.
func TestEnough(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "large"), make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	use := &Disk{Enough: 512 << 10, Over: func() bool { return false }}
	if err := use.Add(dir, 1<<22+1); !errors.Is(err, ErrEnough) {
		t.Errorf("Add = %v with %d bytes, want ErrEnough", err, use.total)
	}
}

// TestNamelessFiles counts files that were removed and are open or mapped.
func TestNamelessFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var st unix.Stat_t
	if err := unix.Lstat(dir, &st); err != nil {
		t.Fatal(err)
	}
	count := func() int64 {
		use := &Disk{Enough: 1 << 40, Over: func() bool { return false }}
		if err := use.held(os.Getpid(), st.Dev, map[uint64]bool{}); err != nil {
			t.Fatal(err)
		}
		return use.total
	}
	before := count()
	f, err := os.Create(filepath.Join(dir, "a"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(make([]byte, 4<<20)); err != nil {
		t.Fatal(err)
	}
	if got := count() - before; got >= 4<<20 {
		t.Errorf("a file with a name counts %d", got)
	}
	if err := os.Remove(f.Name()); err != nil {
		t.Fatal(err)
	}
	if got := count() - before; got < 4<<20 {
		t.Errorf("an open file counts %d, want 4 MiB", got)
	}
	m, err := unix.Mmap(int(f.Fd()), 0, 4<<20, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Munmap(m) }()
	_ = f.Close()
	if got := count() - before; got < 4<<20 {
		t.Errorf("a mapped file counts %d, want 4 MiB", got)
	}
}

// TestLookEnds stops looking as soon as the run is over.
func TestLookEnds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 300 {
		if err := os.Mkdir(filepath.Join(dir, strings.Repeat("x", 1+i%200)+string(rune('a'+i/200))),
			0o755); err != nil {
			t.Fatal(err)
		}
	}
	use := &Disk{Enough: 1 << 40, Over: func() bool { return true }}
	if err := use.Add(dir, os.Getpid()); !errors.Is(err, ErrOver) || use.Seen > 128 {
		t.Errorf("add = %v after %d files, want ErrOver after 128", err, use.Seen)
	}
}
