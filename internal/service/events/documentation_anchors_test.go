package events_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDocumentationAnchors: the page that an error names has the part that it names.
func TestDocumentationAnchors(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "services", "events.md"))
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]bool{}
	for line := range strings.Lines(string(page)) {
		if title, ok := strings.CutPrefix(strings.TrimSpace(line), "## "); ok {
			parts[strings.ReplaceAll(strings.ToLower(title), " ", "-")] = true
		}
	}
	files, err := filepath.Glob("testdata/envelope/*.golden")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d recorded errors, %v", len(files), err)
	}
	address := regexp.MustCompile(`/docs/services/events#([a-z-]+)`)
	named := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range address.FindAllStringSubmatch(string(text), -1) {
			named++
			if !parts[found[1]] {
				t.Errorf("%s names %s, which docs/services/events.md does not have", file, found[1])
			}
		}
	}
	if named == 0 {
		t.Error("no recorded error names a part")
	}
}
