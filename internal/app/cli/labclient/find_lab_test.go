package labclient_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stoa.dev/stoa/internal/app/cli/labclient"
	"stoa.dev/stoa/internal/lab/server"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database/folderlock"
	"stoa.dev/stoa/internal/platform/module"
)

// TestFindStartingLab: a command waits for a lab that has its folder and has not yet said how to reach it, and says so
// when that takes long; what an earlier process left in the folder does not count.
func TestFindStartingLab(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		stale   bool
		readyIn time.Duration // zero for never
		locked  bool
		want    string // in the error; empty for a client
	}{
		"ready soon":             {locked: true, readyIn: 2 * time.Second},
		"ready soon, used":       {locked: true, readyIn: 2 * time.Second, stale: true},
		"never ready":            {locked: true, want: "is still starting"},
		"never ready, used":      {locked: true, stale: true, want: "is still starting"},
		"there in a moment":      {readyIn: 200 * time.Millisecond},
		"nothing":                {want: "no lab was found"},
		"an owner that is a lab": {locked: true, readyIn: time.Nanosecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file := filepath.Join(dir, server.EnvFile)
			write := func(url string) {
				if err := os.WriteFile(file, []byte("STOA_LAB_URL="+url+"\n"), 0o600); err != nil {
					t.Error(err)
				}
			}
			if row.stale {
				write("old")
				before := time.Now().Add(-time.Hour)
				if err := os.Chtimes(file, before, before); err != nil {
					t.Fatal(err)
				}
			}
			if row.locked {
				lock, err := folderlock.OpenForLab(dir)
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = lock.Unlock() }()
			}
			begun := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
			v := clock.NewVirtual(begun)
			done := make(chan struct{})
			var client *labclient.Client
			var err error
			go func() {
				defer close(done)
				client, err = labclient.Find(t.Context(), v, dir)
			}()
			written := false
			for {
				select {
				case <-done:
				case <-time.After(time.Millisecond):
					if at, waits := v.NextDue(); waits {
						if row.readyIn > 0 && !written && v.Now().Sub(begun) >= row.readyIn {
							write("new")
							written = true
						}
						v.Set(at)
					}
					continue
				}
				break
			}
			var failed *module.CommandError
			switch {
			case row.want == "" && (err != nil || client.URL != "new"):
				t.Errorf("got %+v, %v, want the lab that became ready", client, err)
			case row.want != "" && (!errors.As(err, &failed) || !strings.Contains(failed.Message, row.want) ||
				failed.Next == ""):
				t.Errorf("got %+v, %v, want %q and what to do", client, err, row.want)
			}
			if waited := v.Now().Sub(begun); waited > 16*time.Second {
				t.Errorf("it waited %s", waited)
			}
		})
	}
}

// TestFindServer: a folder that a server has is no lab's, and no command waits for one.
func TestFindServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lock, err := folderlock.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Unlock() }()
	if pid, _ := folderlock.LabOwner(dir); pid != 0 {
		t.Errorf("the server %d is taken for a lab", pid)
	}
}
