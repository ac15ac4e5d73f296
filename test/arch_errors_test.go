package test_test

import (
	"flag"
	"go/ast"
	"go/token"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	command "stoa.dev/stoa/internal/platform/module"
)

func errorRules() []rule {
	return []rule{
		{
			name: "a discarded result has its reason", check: discardedResults,
			why: "an error that is dropped in silence is lost; handle it, or say on its line or above why it does not matter",
			bad: map[string]string{"internal/identity/x.go": "package identity\n\nfunc f() {\n\t_, _ = g()\n}\n"},
		},
		{
			name: "names of packages do not reach readers", check: shownPackageNames,
			why: "an error that begins with the name of a package is shown without it: run go test ./test -run " +
				"TestPackageNames -update, or add the name to the words here that readers know",
			bad: map[string]string{
				"internal/passcode/x.go": "package passcode\n\nimport \"errors\"\n\nvar e = errors.New(\"passcode: wrong\")\n",
			},
		},
	}
}

// knownWords are names of packages that readers know as words: services, settings and what
// a build runs on.
func knownWords() []string {
	return []string{
		"analytics", "calendar", "console", "dialect", "events", "faults", "generate", "git", "kubernetes", "payload",
		"pipelines",
	}
}

// shownPackageNames finds errors that begin with the name of a package which PlainMessage does
// not take off.
func shownPackageNames(h *repository) []string {
	var bad []string
	packageNamesOfErrors(h, func(word, at string) {
		if command.PlainMessage(word+": x") != "x" {
			bad = append(bad, at+" shows readers the name of the package "+word)
		}
	})
	return bad
}

// packageNamesOfErrors calls each for every error that begins with the name of a package which readers do not know.
func packageNamesOfErrors(h *repository, each func(name, at string)) {
	names := map[string]bool{}
	for _, s := range h.product() {
		names[s.AST.Name.Name] = under(s.Dir, "internal") || names[s.AST.Name.Name]
	}
	for _, s := range h.product() {
		if !under(s.Dir, "internal") {
			continue
		}
		ast.Inspect(s.AST, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			word, _, ok := strings.Cut(errorText(call), ": ")
			if ok && names[word] && !slices.Contains(knownWords(), word) {
				each(word, s.at(call))
			}
			return true
		})
	}
}

var update = flag.Bool("update", false, "write the names of packages that errors are shown without")

// TestPackageNames compares the names that PlainMessage takes off with those that errors begin with.
func TestPackageNames(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	packageNamesOfErrors(readRepository(t, os.DirFS("..")), func(name, _ string) { found[name] = true })
	want := strings.Join(slices.Sorted(maps.Keys(found)), "\n") + "\n"
	const path = "../internal/platform/module/package_names.txt"
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("%s is not what the errors of the tree begin with, %v; go test ./test -run TestPackageNames -update:\n%s",
			path, err, want)
	}
}

// errorText is the text that a call makes an error of; empty for other calls.
func errorText(call *ast.CallExpr) string {
	made, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || len(call.Args) == 0 || made.Sel.Name != "New" && made.Sel.Name != "Errorf" {
		return ""
	}
	text, ok := call.Args[0].(*ast.BasicLit)
	if from, named := made.X.(*ast.Ident); !ok || !named || from.Name != "errors" && from.Name != "fmt" {
		return ""
	}
	plain, err := strconv.Unquote(text.Value)
	if err != nil {
		return ""
	}
	return plain
}

// discardedResults finds calls whose results are all assigned to blanks without a
// comment on the line or the line above. One comment covers the lines that follow
// it directly.
func discardedResults(h *repository) []string {
	var bad []string
	for _, s := range h.product() {
		if !under(s.Dir, "internal") {
			continue
		}
		explained := commentLines(s)
		ast.Inspect(s.AST, func(n ast.Node) bool {
			if a, ok := n.(*ast.AssignStmt); ok && discards(a) {
				line := s.line(a)
				if explained[line] || explained[line-1] || explained[s.fset.Position(a.End()).Line] {
					explained[line] = true
				} else {
					bad = append(bad, s.at(a)+" discards a result without a reason")
				}
			}
			return true
		})
	}
	return bad
}

// commentLines are the lines on which a comment stands.
func commentLines(s *source) map[int]bool {
	lines := map[int]bool{}
	for _, g := range s.AST.Comments {
		for l := s.line(g); l <= s.fset.Position(g.End()).Line; l++ {
			lines[l] = true
		}
	}
	return lines
}

// discards reports whether a statement only calls and keeps nothing of the answer.
func discards(a *ast.AssignStmt) bool {
	if a.Tok != token.ASSIGN || len(a.Rhs) != 1 {
		return false
	}
	for _, e := range a.Lhs {
		if id, ok := e.(*ast.Ident); !ok || id.Name != "_" {
			return false
		}
	}
	_, ok := a.Rhs[0].(*ast.CallExpr)
	return ok
}
