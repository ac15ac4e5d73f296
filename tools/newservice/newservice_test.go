package main

import (
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stoa.dev/stoa/test/program"
)

// full is set by make newservice-check.
var full = flag.Bool("full", false, "run make test and make check with the new service")

// TestANewServicePasses adds a service to a copy of the repository and runs what
// a contributor runs, then removes it. Without -full that is the service's own
// tests, the rules of the architecture and its conformance rows.
func TestANewServicePasses(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	copyTree(t, "../..", root)
	do := func(command ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
		cmd.Dir = root
		// Without paths in it, what was compiled for the repository serves the copy, but its program does not.
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "STOA_TEST_BINARY=", program.GoFlags())
		if *full {
			cmd.Env = append(os.Environ(), "STOA_TEST_BINARY=", "GOFLAGS=-buildvcs=false")
			cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
			if err := cmd.Run(); err != nil {
				t.Fatalf("%s: %v", strings.Join(command, " "), err)
			}
			return
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(command, " "), err, out)
		}
	}
	if err := run(root, "notes", "N", !*full); err != nil {
		t.Fatal(err)
	}
	if *full {
		do("make", "test")
		do("make", "check")
		return
	}
	for _, step := range steps(service{Name: "notes", Type: "Notes", Letter: "N"})[:3] {
		do(step...)
	}
	do("go", "test", "./internal/service/notes", "./test")
	// The console has pages of the service, without a line of HTML.
	do("go", "test", "./internal/app", "./test/conformance",
		"-run", "^(TestConsoleShowsEveryResource|TestNotes.*|TestRows.*|TestServices.*)$")
}

// TestRefusesNames checks the words a user may get wrong.
func TestRefusesNames(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "internal/service/tasks"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][2]string{{"Notes", "N"}, {"my-notes", "N"}, {"notes", "n"}, {"notes", "NN"}, {"tasks", "N"}, {"", ""}} {
		if err := run(root, args[0], args[1], true); err == nil {
			t.Errorf("%q is accepted", args)
		}
	}
}

// copyTree copies what is committed or would be: no caches, no build output.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	skipped := []string{".git", ".cache", "bin", "node_modules", "stoa-data"}
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		switch {
		case d.IsDir() && slices.Contains(skipped, d.Name()):
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		case !d.Type().IsRegular():
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), text, info.Mode())
	})
	if err != nil {
		t.Fatal(err)
	}
}
