package product_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	belongsTo    = regexp.MustCompile(`(?m)^This belongs to \[[^\]]+\]\(([^)#]+\.md)\)`)
	singleQuoted = regexp.MustCompile(`'[^']*'`)
	variableUse  = regexp.MustCompile(`\$\{?([A-Z][A-Z0-9_]*)`)
)

// beginning are the lines that give variables to the readers of the page that this one says it belongs to.
func beginning(t *testing.T, page, text string) []string {
	t.Helper()
	found := belongsTo.FindStringSubmatch(text)
	if found == nil {
		return nil
	}
	first, err := os.ReadFile(filepath.Join(filepath.Dir(page), found[1]))
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(shellLines(string(first)), func(line string) bool { return !assignment.MatchString(line) })
}

// variables are those that the reader's shell puts into a line. What stands in single quotes is another shell's.
func variables(line string) []string {
	var names []string
	line, _, _ = strings.Cut(singleQuoted.ReplaceAllString(line, ""), " # ")
	for _, found := range variableUse.FindAllStringSubmatch(line, -1) {
		if !slices.Contains(names, found[1]) {
			names = append(names, found[1])
		}
	}
	return names
}

func TestVariables(t *testing.T) {
	t.Parallel()
	got := variables(`curl -H "X: $STOA_TOKEN" "${STOA_URL}/a$STOA_URL" sh -c '$STOA_BIN' # as $HOME`)
	if want := "STOA_TOKEN STOA_URL"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
