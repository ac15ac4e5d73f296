package ignoredvariables_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"stoa.dev/stoa/internal/app/ignoredvariables"
)

// TestVariables: every name that the kits read for themselves may stand beside a server.
func TestVariables(t *testing.T) {
	t.Parallel()
	names := ignoredvariables.Variables()
	for n, name := range names {
		if len(name) < 6 || name[:5] != "STOA_" || slices.Contains(names[:n], name) {
			t.Errorf("%q is not a name of its own", name)
		}
	}
	read := regexp.MustCompile(`(?:Getenv|LookupEnv|environ\.get)\(["'](STOA_\w+)|process\.env\.(STOA_\w+)`)
	found := 0
	for _, pattern := range []string{"go/*/*.go", "node/*.*js", "node/*/*.*js", "python/*/*.py"} {
		files, err := filepath.Glob(filepath.Join("../../../kit", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, match := range read.FindAllStringSubmatch(string(text), -1) {
				found++
				if name := match[1] + match[2]; !slices.Contains(names, name) {
					t.Errorf("%s reads %s, which a server refuses", file, name)
				}
			}
		}
	}
	if found == 0 {
		t.Error("the kits read nothing")
	}
}
