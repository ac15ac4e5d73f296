package snapshots_test

import (
	"strings"
	"testing"

	"stoa.dev/stoa/test/sdk/world"
)

// TestSnippets runs the programs of the service's page; each prints the address of a picture.
func TestSnippets(t *testing.T) {
	s := world.Serve(t, world.Options{})
	for language, out := range map[string]string{
		"go":     s.Snippet(t, "docs/services/snapshots.md", "go", world.Program{}),
		"js":     s.Snippet(t, "docs/services/snapshots.md", "js", world.Program{}),
		"python": s.Snippet(t, "docs/services/snapshots.md", "python", world.Program{Python: "datadog-api-client"}),
	} {
		if !strings.HasPrefix(out, s.URL+"/snapshot/view/") {
			t.Errorf("the program in %s prints %q", language, out)
		}
	}
}
