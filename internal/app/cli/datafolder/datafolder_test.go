package datafolder_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/app/backup"
	"stoa.dev/stoa/internal/app/cli/datafolder"
	"stoa.dev/stoa/internal/platform/database/folderlock"
	"stoa.dev/stoa/internal/platform/module"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		file   string
		use    datafolder.Use
		remote bool
		good   bool
	}{
		{"its own", "stoa.db", datafolder.Look, false, true},
		{"of a process whose database is elsewhere", "node.id", datafolder.Look, true, true},
		{"a foreign one", "guide.md", datafolder.Look, false, false},
		{"a foreign one, to begin in", "guide.md", datafolder.Begin, false, false},
		{"a foreign one, to serve from", "guide.md", datafolder.Serve, false, true},
		{"an empty one", "", datafolder.Look, false, false},
		{"an empty one, to begin in", "", datafolder.Begin, false, true},
		{"an empty one beside a database", "", datafolder.Look, true, true},
		{"a lab's", "lab.env", datafolder.Look, false, false},
		{"one with an interrupted restore", backup.PartFolder, datafolder.Serve, false, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if row.file != "" {
				if err := os.WriteFile(filepath.Join(dir, row.file), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := datafolder.Check(dir, row.use, row.remote); (err == nil) != row.good {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestRefuseServer: a lab says of a server's folder what it is, and who has it.
func TestRefuseServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := datafolder.RefuseServer(dir); err != nil {
		t.Errorf("an empty folder: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "stoa.db"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	say := func(name, want string) {
		t.Helper()
		err := datafolder.RefuseServer(dir)
		var failure *module.CommandError
		if !errors.As(err, &failure) || !strings.Contains(failure.Message, want) ||
			!strings.Contains(failure.Next, "--data ./stoa-lab") {
			t.Errorf("%s: %v, want %q and the next step", name, err, want)
		}
	}
	say("no process has it", "is the data folder of a server")
	for want, open := range map[string]func(string) (*folderlock.Lock, error){
		"a server runs in": folderlock.Open, "a command works in it": folderlock.OpenForCommand,
	} {
		lock, err := open(dir)
		if err != nil {
			t.Fatal(err)
		}
		say(want, fmt.Sprintf("(process %d)", os.Getpid()))
		say(want, want)
		if err := lock.Unlock(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDied: a lock that names a process and is not held is of one that died.
func TestDied(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lock, err := folderlock.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if pid := datafolder.Died(dir); pid != 0 {
		t.Errorf("a server that runs: %d", pid)
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	if pid := datafolder.Died(dir); pid != 0 {
		t.Errorf("a server that was stopped: %d", pid)
	}
	if err := os.WriteFile(filepath.Join(dir, "stoa.lock"), []byte("77\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if pid := datafolder.Died(dir); pid != 77 {
		t.Errorf("a server that died: %d, want 77", pid)
	}
}
