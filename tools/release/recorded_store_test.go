package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"stoa.dev/stoa/internal/platform/database"
)

// store is a folder with a database of some migrations.
func store(t *testing.T, files fstest.MapFS) string {
	t.Helper()
	dir := t.TempDir()
	db, err := database.Open(t.Context(), database.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Migrate(t.Context(), database.Migrations{Module: "tasks", Files: files})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	return dir
}

// pretender is a program that makes copies of a folder as the real one makes a store.
func pretender(t *testing.T, version, folder string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "stoa")
	script := `#!/bin/sh
case $1 in
version) echo "stoa ` + version + `" ;;
serve)
  cp ` + folder + `/stoa.db "$4" && mkdir -m 700 "$4/git" && echo held >"$4/stoa.lock"
  trap 'exit 0' INT
  echo "ready http://127.0.0.1:1"
  while :; do sleep 0.01; done ;;
esac
`
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	return path
}

// repository is a folder of sources with a release of a version, and with those that are tagged.
func repository(t *testing.T, version string, tags ...string) release {
	t.Helper()
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, recordedFolder), 0o755); err != nil {
		t.Fatal(err)
	}
	if len(tags) > 0 {
		commands := "git init -q && git -c user.name=x -c user.email=x@localhost commit -q --allow-empty -m x"
		for _, tag := range tags {
			commands += " && git tag " + tag
		}
		c := exec.Command("sh", "-c", commands)
		c.Dir = root
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
	}
	return release{version: version, out: t.TempDir(), root: root}
}

// TestRecordedStore: a version is refused until its store is recorded, and when its migrations are not those of the
// program.
func TestRecordedStore(t *testing.T) {
	t.Parallel()
	first := fstest.MapFS{"0001_a.sql": {Data: []byte("CREATE TABLE tasks_a (n BIGINT);")}}
	more := fstest.MapFS{"0001_a.sql": first["0001_a.sql"], "0002_b.sql": {Data: []byte("CREATE TABLE tasks_b (n BIGINT);")}}
	other := fstest.MapFS{"0001_a.sql": {Data: []byte("CREATE TABLE tasks_a (m BIGINT);")}}
	r := repository(t, "1.2.3", "v1.2.3")
	program := pretender(t, "1.2.3", store(t, first))

	if said, err := r.checkRecorded(program); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "record-store") {
		t.Errorf("not recorded: %q, %v; want a refusal that names make record-store", said, err)
	}
	if _, err := r.findRecorded(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before anything is built: %v, want the same refusal", err)
	}
	if err := r.run(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a release of it: %v, want the same refusal", err)
	}
	if err := r.record(program); err != nil {
		t.Fatal(err)
	}
	if said, err := r.checkRecorded(program); err != nil || !strings.HasPrefix(said, "1 migrations") {
		t.Errorf("recorded: %q, %v", said, err)
	}
	dir := t.TempDir()
	if err := unpackFile(r.recorded("1.2.3"), dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "git")); err != nil {
		t.Errorf("an empty folder is not recorded: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "stoa.lock")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a lock is recorded: %v", err)
	}
	if err := r.record(program); err == nil || !strings.Contains(err.Error(), "is there") {
		t.Errorf("recorded a second time: %v", err)
	}
	for name, files := range map[string]fstest.MapFS{"one more": more, "another": other} {
		later := pretender(t, "1.2.3", store(t, files))
		if said, err := r.checkRecorded(later); err == nil || !strings.Contains(err.Error(), "other migrations") {
			t.Errorf("%s: %q, %v; want a refusal", name, said, err)
		}
	}
	if err := os.WriteFile(r.recorded("1.2.3"), []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	if said, err := r.checkRecorded(program); err == nil {
		t.Errorf("damaged: %q, want a refusal", said)
	}
}

// TestRecordedStoresOfEarlierVersions: those that were released keep theirs.
func TestRecordedStoresOfEarlierVersions(t *testing.T) {
	t.Parallel()
	r := repository(t, "1.3.0", "v1.2.3", "v1.3.0-1-gabc", "vendor", "v1.3.0")
	program := pretender(t, "1.3.0", store(t, fstest.MapFS{"0001_a.sql": {Data: []byte("CREATE TABLE tasks_a (n BIGINT);")}}))
	if err := r.record(program); err == nil || !strings.Contains(err.Error(), "store-1.2.3.tar.gz") {
		t.Errorf("without that of an earlier version: %v", err)
	}
	old := repository(t, "1.2.3")
	if err := old.record(pretender(t, "1.2.3", store(t, nil))); err == nil {
		t.Error("a store without migrations was recorded")
	}
	if err := os.WriteFile(r.recorded("1.2.3"), []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := r.record(program); err != nil {
		t.Errorf("with it: %v", err)
	}
}

// TestVersionsThatAreNotReleased: what is built between versions needs no store, and gets none.
func TestVersionsThatAreNotReleased(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]bool{
		"1.2.3": true, "0.1.0": true, "1.0.0-rc.1": true, "1.0.0-beta2": true, "1.2.3-dirty": true,
		"development": false, "1.2.3-4-gabcdef0": false, "38feaff": false, "": false, "1.2": false, "../1.2.3": false,
	} {
		if got := released.MatchString(version); got != want {
			t.Errorf("%q is released: %v, want %v", version, got, want)
		}
		if want {
			continue
		}
		r := repository(t, version)
		if _, err := r.checkRecorded("false"); err != nil {
			t.Errorf("%q: %v", version, err)
		}
		if err := r.record("false"); err == nil {
			t.Errorf("%q was recorded", version)
		}
	}
}
