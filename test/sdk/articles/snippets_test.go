package articles_test

import (
	"strings"
	"testing"

	"stoa.dev/stoa/test/sdk/world"
)

// TestSnippets runs the program of the service's page.
func TestSnippets(t *testing.T) {
	s := world.Serve(t, world.Options{})
	if out := s.Snippet(t, "docs/services/articles.md", "js", world.Program{}); !strings.HasPrefix(out, s.URL+"/") {
		t.Errorf("the program prints %q, want the article's address", out)
	}
}
