package kits_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// snippet is a block of a page in a language.
var snippet = regexp.MustCompile("(?ms)^```(go|js|python)\n(.*?)^```$")

// commented begins the lines of a doc comment in JavaScript.
var commented = regexp.MustCompile(`(?m)^ \* ?`)

// pages are those that show the kits; the examples of Go and Python are run by the kits' own tests.
func pages() []string {
	return []string{
		"README.md", "docs/kits.md", "kit/go/README.md", "kit/node/README.md", "kit/python/README.md",
		"kit/node/index.d.cts",
	}
}

// TestSnippets runs what the pages show, each block in a project of its own.
func TestSnippets(t *testing.T) {
	t.Parallel()
	binary := build(t)
	for _, page := range pages() {
		shown := text(t, filepath.Join(root(t), page))
		if strings.HasSuffix(page, ".d.cts") {
			shown = commented.ReplaceAllString(shown, "")
		}
		blocks := snippet.FindAllStringSubmatch(shown, -1)
		if len(blocks) == 0 {
			t.Errorf("%s shows nothing", page)
		}
		for _, block := range blocks {
			if block[1] == "python" && strings.Contains(block[2], "pytest") {
				continue // TestOnlinePython has pytest
			}
			t.Run(page+" "+block[1], func(t *testing.T) {
				t.Parallel()
				runSnippet(t, binary, block[1], block[2])
			})
		}
	}
}

func runSnippet(t *testing.T, binary, language, code string) {
	t.Helper()
	dir, env := t.TempDir(), []string{"STOA_BIN=" + binary}
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	kit := filepath.Join(root(t), "kit")
	switch language {
	case "go":
		put("go.mod", "module snippet.example\n\ngo 1.25\n\nrequire stoa.dev/stoa/kit/go v1.0.0\n\n"+
			"replace stoa.dev/stoa/kit/go => "+filepath.Join(kit, "go")+"\n")
		put("snippet_test.go", code)
		run(t, dir, env, "go", "test", "-count=1", ".")
	case "js":
		if err := os.Mkdir(filepath.Join(dir, "node_modules"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(kit, "node"), filepath.Join(dir, "node_modules", "stoatest")); err != nil {
			t.Fatal(err)
		}
		put("snippet.test.mjs", code)
		run(t, dir, env, "node", "--test")
	case "python":
		put("test_snippet.py", code)
		run(t, dir, append(env, "PYTHONPATH="+filepath.Join(kit, "python")), "python3", "-m", "unittest")
	}
}
