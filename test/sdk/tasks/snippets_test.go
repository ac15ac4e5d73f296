package tasks_test

import (
	"path/filepath"
	"strings"
	"testing"

	"stoa.dev/stoa/test/sdk/world"
)

// TestSnippets runs the programs of the service's page.
func TestSnippets(t *testing.T) {
	s := world.Serve(t, world.Options{})
	out := s.Snippet(t, "docs/services/tasks.md", "go", world.Program{})
	if !strings.HasPrefix(out, "Sweep the steps ") {
		t.Errorf("the Go program prints %q", out)
	}
	s.Snippet(t, "docs/services/tasks.md", "js", world.Program{})
}

// TestFirstScript runs the part of the first page that installs a client and uses it in a world of its own.
func TestFirstScript(t *testing.T) {
	s := world.Serve(t, world.Options{})
	out := s.Snippet(t, "docs/getting-started.md", "sh", world.Program{
		Path: filepath.Dir(s.Binary), Containing: "npm install",
	})
	if !strings.Contains(out, "[ '") {
		t.Errorf("the script prints %s, want the titles of lists", out)
	}
}
