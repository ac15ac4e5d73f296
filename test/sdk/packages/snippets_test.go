package packages_test

import (
	"strings"
	"testing"

	"stoa.dev/stoa/test/sdk/world"
)

// TestSnippets runs the program of the service's page.
func TestSnippets(t *testing.T) {
	s := world.Serve(t, world.Options{})
	out := s.Snippet(t, "docs/services/packages.md", "go", world.Program{})
	if !strings.HasPrefix(out, "@stoa/colonnade [") {
		t.Errorf("the program prints %q", out)
	}
}
