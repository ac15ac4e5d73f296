package events_test

import (
	"strconv"
	"strings"
	"testing"

	"stoa.dev/stoa/test/sdk/world"
)

// TestSnippets runs the programs of the service's page; test/sdk/gh runs what a shell types.
func TestSnippets(t *testing.T) {
	s := world.Serve(t, world.Options{})
	listed := s.Snippet(t, "docs/services/events.md", "go", world.Program{})
	counted := s.Snippet(t, "docs/services/events.md", "js", world.Program{})
	if strings.TrimSpace(counted) != strconv.Itoa(strings.Count(listed, "Event\n")) {
		t.Errorf("the JavaScript program counts %s events, the Go program lists\n%s", counted, listed)
	}
}
