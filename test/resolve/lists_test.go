package resolve_test

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLists checks what resolve-check compares: at least 60 packages of each
// ecosystem, each once, with its version.
func TestLists(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "*.txt"))
	if err != nil || len(files) != 5 {
		t.Fatalf("%v, %v; want a list for each of five ecosystems", files, err)
	}
	for _, name := range files {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		seen := map[string]bool{}
		for lines := bufio.NewScanner(file); lines.Scan(); {
			words := strings.Fields(lines.Text())
			if len(words) == 0 || strings.HasPrefix(words[0], "#") {
				continue
			}
			if len(words) != 2 || seen[words[0]] {
				t.Errorf("%s: %q is not one new package and its version", name, lines.Text())
			}
			seen[words[0]] = true
		}
		if len(seen) < 60 {
			t.Errorf("%s has %d packages, want at least 60", name, len(seen))
		}
	}
}
