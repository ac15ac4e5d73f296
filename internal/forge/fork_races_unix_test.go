//go:build unix

package forge_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/databasetest"
)

// slowGit is a git that waits before it copies a repository: first it is told that it is there, then it goes on.
func slowGit(t *testing.T) (program, there, goOn string) {
	t.Helper()
	dir := t.TempDir()
	program, there, goOn = filepath.Join(dir, "git"), filepath.Join(dir, "there"), filepath.Join(dir, "on")
	for _, pipe := range []string{there, goOn} {
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	script := fmt.Sprintf("#!/bin/sh\ncase \"$*\" in *clone*) : >'%s'; : <'%s';; esac\nexec git \"$@\"\n", there, goOn)
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return program, there, goOn
}

// TestChangesWhileForking: what happens to a repository while it is copied happens to the copy too. One that was hidden
// or deleted meanwhile has no new fork, and the fork is in the network that there is then.
func TestChangesWhileForking(t *testing.T) {
	t.Parallel()
	private := true
	rows := map[string]struct {
		change func(t *testing.T, h *testServer, root, from forge.Repository) error
		want   error
	}{
		"hidden": {func(t *testing.T, h *testServer, _, from forge.Repository) error {
			_, err := h.forge.Update(t.Context(), from.ID, forge.Change{Private: &private}, h.ada)
			return err
		}, forge.ErrForbidden},
		"deleted": {func(t *testing.T, h *testServer, _, from forge.Repository) error {
			return h.forge.Delete(t.Context(), from.ID, h.ada)
		}, forge.ErrNotFound},
		"root deleted": {func(t *testing.T, h *testServer, root, _ forge.Repository) error {
			return h.forge.Delete(t.Context(), root.ID, h.ada)
		}, nil},
	}
	for name, row := range rows {
		for _, engine := range []database.Engine{database.SQLite, database.Postgres} {
			t.Run(fmt.Sprint(name, " on ", engine), func(t *testing.T) {
				t.Parallel()
				url := ""
				if engine == database.Postgres {
					url = databasetest.PostgresURL(t)
				}
				var there, goOn string
				c := forge.DefaultConfig()
				c.Git, there, goOn = slowGit(t)
				h := open(t, url, c)
				root := h.create(t, forge.NewRepository{Owner: "ada", Name: "root"})
				h.commitFile(t, root)
				from := h.forkedBeside(t, root.ID, "first", there, goOn, func() error { return nil }, nil)
				made := h.forkedBeside(t, from.ID, "second", there, goOn,
					func() error { return row.change(t, h, root, from) }, row.want)
				if row.want != nil {
					return
				}
				if now, err := h.forge.Repository(t.Context(), from.ID); err != nil || made.NetworkID != now.NetworkID {
					t.Errorf("the fork is in network %d, its origin in %d (%v)", made.NetworkID, now.NetworkID, err)
				}
			})
		}
	}
}

// forkedBeside forks a repository, and changes something while its files are copied.
func (h *testServer) forkedBeside(
	t *testing.T, id int64, name, there, goOn string, change func() error, want error,
) (made forge.Repository) {
	t.Helper()
	ended := make(chan error)
	go func() {
		var err error
		made, err = h.forge.Fork(t.Context(), id, "ada", name, h.ada)
		ended <- err
	}()
	for _, step := range []func() error{
		func() error { _, err := os.ReadFile(there); return err }, change,
		func() error { return os.WriteFile(goOn, nil, 0) },
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-ended; !errors.Is(err, want) {
		t.Fatalf("fork %s: %v, want %v", name, err, want)
	}
	if _, _, err := h.forge.FindPath(t.Context(), "ada/"+name); want != nil && !errors.Is(err, forge.ErrNotFound) {
		t.Errorf("fork %s is there: %v", name, err)
	}
	return made
}

// TestFolderOfAnUnknownOutcome: where a commit may or may not have happened the folder stays for the row that may be
// there. A failure that is certain leaves none.
func TestFolderOfAnUnknownOutcome(t *testing.T) {
	t.Parallel()
	h := open(t, "", forge.DefaultConfig())
	folders := func() int {
		t.Helper()
		list, err := h.forge.Folders()
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	for _, row := range []struct {
		refuse error
		want   int
	}{{errors.New("no"), 0}, {&database.Error{Kind: database.ErrUnknown}, 1}} {
		h.mu.Lock()
		h.refuse = row.refuse
		h.mu.Unlock()
		_, err := h.forge.Create(t.Context(), forge.NewRepository{Owner: "ada", Name: "x", Actor: h.ada})
		if !errors.Is(err, row.refuse) {
			t.Errorf("got %v, want %v", err, row.refuse)
		}
		if got := folders(); got != row.want {
			t.Errorf("after %v: %d folders, want %d", row.refuse, got, row.want)
		}
	}
}
