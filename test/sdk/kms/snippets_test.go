package kms_test

import (
	"path/filepath"
	"strings"
	"testing"

	"stoa.dev/stoa/test/sdk/world"
)

// TestSnippets runs the program of the service's page.
func TestSnippets(t *testing.T) {
	s := world.Serve(t, world.Options{Env: []string{"STOA_LISTEN_KMS=" + filepath.Join(t.TempDir(), "kms.sock")}})
	out := s.Snippet(t, "docs/services/kms.md", "go", world.Program{})
	if !strings.Contains(out, " bytes under the key ") {
		t.Errorf("the program prints %q", out)
	}
}
