package generate_test

import (
	"testing"

	"stoa.dev/stoa/test/sdk/world"
)

// TestSnippets runs the programs of the service's page.
func TestSnippets(t *testing.T) {
	s := world.Serve(t, world.Options{})
	s.Snippet(t, "docs/services/generate.md", "go", world.Program{})
	s.Snippet(t, "docs/services/generate.md", "js", world.Program{})
	s.Snippet(t, "docs/services/generate.md", "python", world.Program{Python: "openai"})
}
