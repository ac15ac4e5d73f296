//go:build online

package browser_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"stoa.dev/stoa/test/program"
)

// axeVersion is the release of axe-core that judges the pages.
const axeVersion = "4.10.3"

// axeSource fetches axe-core from the npm registry that is configured, once.
func axeSource(t *testing.T) string {
	t.Helper()
	root, err := program.Root()
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(root, ".cache", "axe-"+axeVersion)
	file := filepath.Join(folder, "node_modules", "axe-core", "axe.min.js")
	if _, err := os.Stat(file); err != nil {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), "npm", "install", "--prefix", folder, "--no-audit", "--no-fund",
			"axe-core@"+axeVersion).CombinedOutput()
		if err != nil {
			t.Fatalf("npm install axe-core: %v\n%s", err, out)
		}
	}
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(source)
}
