package product_test

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stoa.dev/stoa/test/program"
)

// notTyped are the pages whose shell lines no test types, and why.
func notTyped() map[string]string {
	const developer = "commands of make and go for those who change the repository, which run the tests themselves"
	return map[string]string{
		"CONTRIBUTING.md":            developer,
		"docs/adding-a-service.md":   developer,
		"docs/benchmarks.md":         developer,
		"docs/conformance.md":        developer,
		"docs/mutation.md":           developer,
		"docs/performance-cores.md":  developer,
		"docs/performance-costs.md":  developer,
		"docs/performance-limits.md": developer,
		"docs/releases.md":           developer,
		"docs/operations.md":         "a synopsis of options, which is no line to paste",
		"docs/operations-tools.md":   "a synopsis of commands, which is no line to paste",
		"docs/operations-service.md": "names folders of a machine and its service manager",
		"docs/kits.md":               "installs built packages: go test -tags online ./test/kits does",
	}
}

// TestEveryShellPageIsTyped: a page with shell lines is typed by a test of this package or, being a recipe, of
// test/kits, or the table says why it is not.
func TestEveryShellPageIsTyped(t *testing.T) {
	t.Parallel()
	root, err := program.Root()
	if err != nil {
		t.Fatal(err)
	}
	typed := append(demoPages(), "docs/getting-started.md", "examples/README.md")
	for _, page := range labPages() {
		typed = append(typed, "docs/"+page+".md")
	}
	met := map[string]bool{}
	for _, page := range allPages(t, root) {
		if slices.Contains(typed, page) || strings.HasPrefix(page, "docs/services/") ||
			strings.HasPrefix(page, "examples/recipes/") || len(shellLines(read(t, root, page))) == 0 {
			continue
		}
		met[page] = true
		if notTyped()[page] == "" {
			t.Errorf("%s has shell lines that no test types: add it to demoPages or to the table with the reason", page)
		}
	}
	allLeft(t, met, notTyped())
}

// allPages are the Markdown pages that readers find.
func allPages(t *testing.T, root string) []string {
	t.Helper()
	pages := []string{"README.md", "CONTRIBUTING.md"}
	for _, folder := range []string{"docs", "kit", "examples"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() && d.Name() != "node_modules" {
				return err
			}
			if d.IsDir() {
				return fs.SkipDir
			}
			if page, err := filepath.Rel(root, path); err == nil && strings.HasSuffix(page, ".md") {
				pages = append(pages, filepath.ToSlash(page))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return pages
}
