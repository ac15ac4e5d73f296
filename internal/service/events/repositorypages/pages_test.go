package repositorypages

import (
	"bytes"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/forge"
)

// TestTemplates: every page of the table has a template, and what users wrote is escaped.
func TestTemplates(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"owner", "empty", "tree", "blob", "commits", "commit", "branches", "discussions", "discussion",
	} {
		if parsed().Lookup(name) == nil {
			t.Errorf("no template %s", name)
		}
	}
	var out bytes.Buffer
	err := parsed().ExecuteTemplate(&out, "empty", newHead(forge.Repository{
		Owner: forge.Owner{Name: "ada"}, Name: "x", Description: "<script>",
	}))
	if err != nil || strings.Contains(out.String(), "<script>") ||
		!strings.Contains(out.String(), `href="/ada/x/commits"`) {
		t.Errorf("%v %s", err, out.String())
	}
}
