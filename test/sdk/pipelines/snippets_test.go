package pipelines_test

import (
	"strconv"
	"strings"
	"testing"

	"stoa.dev/stoa/test/sdk/world"
)

// TestSnippets runs the program of the service's page.
func TestSnippets(t *testing.T) {
	s := world.Serve(t, world.Options{})
	out := s.Snippet(t, "docs/services/pipelines.md", "js", world.Program{})
	if n, err := strconv.Atoi(strings.TrimSpace(out)); err != nil || n < 1 {
		t.Errorf("the program prints %q, want the build's number", out)
	}
}
