package kits_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// programBlock finds the blocks of a page that are written in a programming language.
var programBlock = regexp.MustCompile("(?ms)^```(go|js|javascript|ts|typescript|python|py|java)\n(.*?)^```$")

// shown are snippets of one page in one language.
type shown struct {
	page, language string
	count          int
	// why they are not executed by TestSnippets, and what comes nearest.
	why string
}

// elsewhere are the snippets that another test executes whole.
func elsewhere() []shown {
	return []shown{
		{"docs/lab-stories.md", "go", 10, "test/lab: the page is written from the tests"},
	}
}

// unexecuted are the snippets that no test executes. They need a client of another
// author, which make sdk fetches and drives through calls of its own; here only their syntax
// is checked.
func unexecuted() []shown {
	const fragment = "a fragment around a client; make sdk drives the client, in "
	return []shown{
		{"docs/services/analytics.md", "go", 1, "a fragment around golang.org/x/oauth2 that waits for a user"},
		{"docs/services/articles.md", "js", 1, fragment + "test/sdk/articles"},
		{"docs/services/calendar.md", "go", 1, fragment + "test/sdk/calendar"},
		{"docs/services/calendar.md", "js", 1, fragment + "test/sdk/calendar"},
		{"docs/services/device.md", "go", 1, fragment + "test/sdk/device"},
		{"docs/services/device.md", "js", 1, fragment + "test/sdk/device"},
		{"docs/services/device.md", "python", 1, "opens a browser and waits for a user"},
		{"docs/services/events.md", "go", 1, fragment + "test/sdk/events"},
		{"docs/services/events.md", "js", 1, fragment + "test/sdk/events"},
		{"docs/services/generate.md", "go", 1, fragment + "test/sdk/generate"},
		{"docs/services/generate.md", "js", 1, fragment + "test/sdk/generate"},
		{"docs/services/generate.md", "python", 1, "a fragment around the openai client"},
		{"docs/services/kms.md", "go", 1, fragment + "test/sdk/kms"},
		{"docs/services/labels.md", "go", 1, fragment + "test/sdk/labels"},
		{"docs/services/packages.md", "go", 1, fragment + "test/sdk/packages"},
		{"docs/services/pipelines.md", "js", 1, fragment + "test/sdk/pipelines"},
		{"docs/services/snapshots.md", "go", 1, fragment + "test/sdk/snapshots"},
		{"docs/services/snapshots.md", "js", 1, fragment + "test/sdk/snapshots"},
		{"docs/services/snapshots.md", "python", 1, "needs datadog_api_client, which no suite installs"},
		{"docs/services/tasks.md", "go", 1, fragment + "test/sdk/tasks"},
		{"docs/services/tasks.md", "js", 1, fragment + "test/sdk/tasks"},
	}
}

// TestEverySnippetIsKnown: a snippet of any page is executed by TestSnippets or by the test
// that is named for it, or the table says why it is not; then it is at least well-formed.
func TestEverySnippetIsKnown(t *testing.T) {
	t.Parallel()
	found := map[string][]string{}
	for _, page := range markdown(t) {
		if slices.Contains(pages(), page) {
			continue
		}
		for _, block := range programBlock.FindAllStringSubmatch(text(t, filepath.Join(root(t), page)), -1) {
			key := page + " " + block[1]
			found[key] = append(found[key], block[2])
		}
	}
	for _, row := range append(elsewhere(), unexecuted()...) {
		key := row.page + " " + row.language
		if len(found[key]) != row.count || row.why == "" {
			t.Errorf("%s: %d snippets, the table has %d with the reason %q", key, len(found[key]), row.count, row.why)
		}
		for _, code := range found[key] {
			wellFormed(t, key, row.language, code)
		}
		delete(found, key)
	}
	for key, codes := range found {
		t.Errorf("%s: %d snippets that are neither executed nor in the table", key, len(codes))
	}
}

// markdown are the pages of the repository that show snippets to readers.
func markdown(t *testing.T) (list []string) {
	t.Helper()
	list = []string{"README.md", "CONTRIBUTING.md"}
	for _, folder := range []string{"docs", "kit", "examples"} {
		err := filepath.WalkDir(filepath.Join(root(t), folder), func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && d.Name() == "node_modules" {
				return fs.SkipDir
			}
			if err == nil && strings.HasSuffix(path, ".md") {
				name, err := filepath.Rel(root(t), path)
				list = append(list, filepath.ToSlash(name))
				return err
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// wellFormed holds a snippet against the grammar of its language.
func wellFormed(t *testing.T, key, language, code string) {
	t.Helper()
	switch language {
	case "go":
		var err error
		for _, form := range []string{"%s", "package p\n%s", "package p\nfunc _() {\n%s\n}"} {
			if _, err = parser.ParseFile(token.NewFileSet(), key, fmt.Sprintf(form, code), 0); err == nil {
				return
			}
		}
		t.Errorf("%s: %v", key, err)
	case "js":
		feed(t, key, code, "node", "--check", "--input-type=module", "-")
	case "python":
		feed(t, key, code, "python3", "-c", "import ast, sys; ast.parse(sys.stdin.read())")
	default:
		t.Errorf("%s: there is no grammar for %s", key, language)
	}
}
