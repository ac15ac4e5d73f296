package calendar_test

import (
	"strconv"
	"strings"
	"testing"

	"stoa.dev/stoa/test/sdk/world"
)

// TestSnippets runs the programs of the service's page.
func TestSnippets(t *testing.T) {
	s := world.Serve(t, world.Options{})
	listed := strings.Count(s.Snippet(t, "docs/services/calendar.md", "go", world.Program{}), "\n")
	counted := s.Snippet(t, "docs/services/calendar.md", "js", world.Program{})
	if strings.TrimSpace(counted) != strconv.Itoa(listed) {
		t.Errorf("the Go program lists %d events, the JavaScript program counts %s", listed, counted)
	}
}
