package labels_test

import (
	"testing"

	"stoa.dev/stoa/test/sdk/world"
)

// TestSnippets runs the program of the service's page.
func TestSnippets(t *testing.T) {
	s := world.Serve(t, world.Options{})
	if out := s.Snippet(t, "docs/services/labels.md", "go", world.Program{}); out != "letters in a title: 50\n" {
		t.Errorf("the program prints %q", out)
	}
}
