package product_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"stoa.dev/stoa/docs"
	"stoa.dev/stoa/engine/weights"
	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/test/program"
)

// TestDependencies: every direct dependency has its reason, and no reason is
// left of one that is gone.
func TestDependencies(t *testing.T) {
	t.Parallel()
	root, err := program.Root()
	if err != nil {
		t.Fatal(err)
	}
	required := map[string]bool{}
	for line := range strings.Lines(read(t, root, "go.mod") + read(t, root, "engine/go.mod")) {
		fields := strings.Fields(line)
		if len(fields) == 2 && strings.Contains(fields[0], ".") && strings.HasPrefix(fields[1], "v") {
			required[fields[0]] = true
		}
	}
	explained := map[string]bool{}
	for _, found := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| .+ \\|$").FindAllStringSubmatch(read(t, root,
		"docs/dependencies.md"), -1) {
		explained[found[1]] = true
	}
	for name := range required {
		if !explained[name] {
			t.Errorf("docs/dependencies.md does not say why we need %s", name)
		}
	}
	for name := range explained {
		if !required[name] {
			t.Errorf("docs/dependencies.md explains %s, which no go.mod requires directly", name)
		}
	}
	if len(required) < 20 {
		t.Errorf("go.mod has %d direct requirements: the reader is wrong", len(required))
	}
}

// TestRepositoryLinks: the pages at the root lead somewhere too.
func TestRepositoryLinks(t *testing.T) {
	t.Parallel()
	root, err := program.Root()
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)
	for _, page := range []string{"README.md", "CONTRIBUTING.md", "AGENTS.md", "examples/README.md", "docs/recipes.md"} {
		for _, found := range link.FindAllStringSubmatch(read(t, root, page), -1) {
			if _, err := os.Stat(filepath.Join(root, filepath.Dir(page), found[1])); err != nil {
				t.Errorf("%s links to %s: %v", page, found[1], err)
			}
		}
	}
}

// TestRecipesPage lists every recipe that there is.
func TestRecipesPage(t *testing.T) {
	t.Parallel()
	root, err := program.Root()
	if err != nil {
		t.Fatal(err)
	}
	recipes, err := filepath.Glob(filepath.Join(root, "examples", "recipes", "*", "README.md"))
	if err != nil || len(recipes) == 0 {
		t.Fatalf("%d recipes, %v", len(recipes), err)
	}
	page := read(t, root, "docs/recipes.md")
	for _, recipe := range recipes {
		name := filepath.Base(filepath.Dir(recipe))
		if want := "(../examples/recipes/" + name + "/README.md)"; !strings.Contains(page, want) {
			t.Errorf("docs/recipes.md does not link to %s", want)
		}
	}
}

func read(t *testing.T, root, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestServicePages: every service's page has the title that the program gives
// the service, and says how to begin with curl and with an SDK.
func TestServicePages(t *testing.T) {
	t.Parallel()
	root, err := program.Root()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range app.Services() {
		page := "docs/services/" + m.Name + ".md"
		text := read(t, root, page)
		if title, _, _ := strings.Cut(text, "\n"); title != "# "+m.Title {
			t.Errorf("%s is titled %q, want %q", page, title, "# "+m.Title)
		}
		for _, want := range []string{"stoa start --wait --demo", "demo.env", "curl ", "\n## With an SDK\n"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q", page, want)
			}
		}
		if strings.Contains(text, "bin/stoa") {
			t.Errorf("%s names bin/stoa; Getting started puts stoa on the PATH", page)
		}
	}
}

// TestModelSizes: the page of models says what the program fetches and what `models list` shows.
func TestModelSizes(t *testing.T) {
	t.Parallel()
	root, err := program.Root()
	if err != nil {
		t.Fatal(err)
	}
	text := read(t, root, "docs/services/generate-backends.md")
	for _, m := range weights.Catalog() {
		want := fmt.Sprintf("%s, %.0f MB to fetch, %.0f MB on disk", m.Licence, float64(m.Archive.Size)/1e6,
			float64(m.Size)/1e6)
		if _, about, _ := strings.Cut(text, m.Name); !strings.Contains(about[:min(len(about), 200)], want) {
			t.Errorf("the page does not say %q about %s", want, m.Name)
		}
	}
}

// TestVariablesAreLoaded: a page whose code has variables of a demo world says where they come from.
func TestVariablesAreLoaded(t *testing.T) {
	t.Parallel()
	code := regexp.MustCompile(`(?m)^(?:    |curl|  ).*\$STOA_[A-Z]`)
	err := fs.WalkDir(docs.Files(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".md") {
			return err
		}
		text, err := fs.ReadFile(docs.Files(), name)
		if code.Match(text) && !regexp.MustCompile(`demo\.env|stoa exec|lab\.env|stoa lab`).Match(text) {
			t.Errorf("docs/%s uses variables of a demo world and does not say how to load them: . stoa-data/demo.env", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
