package kits_test

import (
	"go/format"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// programBlock finds the blocks of a page that are written in a programming language.
var programBlock = regexp.MustCompile("(?ms)^```(go|js|javascript|ts|typescript|python|py|java)\n(.*?)^```$")

// bySDK is how a test of test/sdk runs the snippets of a page in a language.
var bySDK = regexp.MustCompile(`\.Snippet\(t, "([^"]+)", "([a-z]+)"`)

// shown are snippets of one page in one language.
type shown struct{ page, language string }

// elsewhere are the snippets that another test executes, and which.
func elsewhere() map[shown]string {
	const containers = "TestOnlineContainers, against a stand-in of an engine or a true one"
	return map[shown]string{
		{"kit/testcontainers/go/README.md", "go"}:         containers,
		{"kit/testcontainers/node/README.md", "js"}:       containers,
		{"kit/testcontainers/python/README.md", "python"}: containers,
		{"docs/lab-stories.md", "go"}:                     "test/lab: the page is written from the tests",
	}
}

// TestEverySnippetIsExecuted: a program that any page shows is run by TestSnippets, by the test that
// is named for it, or, where it needs a client of another author, by the folder of test/sdk that
// fetches the client. make sdk runs those; here their grammar is checked.
func TestEverySnippetIsExecuted(t *testing.T) {
	t.Parallel()
	found := map[shown][]string{}
	for _, page := range markdown(t) {
		if slices.Contains(pages(), page) {
			continue
		}
		for _, block := range programBlock.FindAllStringSubmatch(text(t, filepath.Join(root(t), page)), -1) {
			key := shown{page, block[1]}
			found[key] = append(found[key], block[2])
		}
	}
	executed := executedBySDK(t)
	for key, codes := range found {
		if elsewhere()[key] == "" && executed[key] == "" {
			t.Errorf("%s: no test executes what it shows in %s; call Snippet in test/sdk", key.page, key.language)
		}
		for _, code := range codes {
			wellFormed(t, key, code)
		}
	}
	for key := range elsewhere() {
		if len(found[key]) == 0 {
			t.Errorf("%s shows nothing in %s any more; take it out of the table", key.page, key.language)
		}
	}
	for key, file := range executed {
		if len(found[key]) == 0 && key.language != "sh" {
			t.Errorf("%s: %s shows nothing in %s", file, key.page, key.language)
		}
	}
}

// executedBySDK reads which snippets the tests of test/sdk run, and in which file.
func executedBySDK(t *testing.T) map[shown]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root(t), "test", "sdk", "*", "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	executed := map[shown]string{}
	for _, file := range files {
		for _, call := range bySDK.FindAllStringSubmatch(text(t, file), -1) {
			executed[shown{call[1], call[2]}] = file
		}
	}
	if len(executed) < 20 {
		t.Errorf("test/sdk runs %d snippets: the reader is wrong", len(executed))
	}
	return executed
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

// wellFormed holds a snippet against the grammar of its language. In Go it has the common format too.
func wellFormed(t *testing.T, key shown, code string) {
	t.Helper()
	name := key.page + " " + key.language
	switch key.language {
	case "go":
		formatted, err := format.Source([]byte(code))
		if err != nil || string(formatted) != code {
			t.Errorf("%s: gofmt says %v and writes\n%s", name, err, formatted)
		}
	case "js":
		feed(t, name, code, "node", "--check", "--input-type=module", "-")
	case "python":
		feed(t, name, code, "python3", "-c", "import ast, sys; ast.parse(sys.stdin.read())")
	default:
		t.Errorf("%s: there is no grammar for %s", name, key.language)
	}
}
