package test_test

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

// rule is one sentence of the architecture. Its check names every place that
// breaks it; bad is the smallest tree that must be found guilty, so that no
// rule can pass by looking away.
type rule struct {
	name  string
	why   string
	check func(*repository) []string
	bad   map[string]string
}

// rules are all of them, in the order a reader meets it.
func rules() []rule {
	var all []rule
	all = append(all, importRules()...)
	all = append(all, roleRules()...)
	all = append(all, codeRules()...)
	all = append(all, packageRules()...)
	all = append(all, nameRules()...)
	all = append(all, serviceRules()...)
	all = append(all, fuzzRules()...)
	all = append(all, wordRules()...)
	all = append(all, commentRules()...)
	all = append(all, errorRules()...)
	all = append(all, storedRules()...)
	return append(all, budgetRules()...)
}

func TestArchitecture(t *testing.T) {
	t.Parallel()
	h := readRepository(t, os.DirFS(".."))
	if len(h.product()) < 20 {
		t.Fatalf("there are %d product files: the rules look at the wrong folder", len(h.product()))
	}
	for _, r := range rules() {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			for _, found := range r.check(h) {
				t.Errorf("%s\n\twhy: %s", found, r.why)
			}
		})
	}
}

// TestRulesCanFail runs every rule against its own bad example.
func TestRulesCanFail(t *testing.T) {
	t.Parallel()
	for _, r := range rules() {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			tree := fstest.MapFS{}
			for p, text := range r.bad {
				tree[p] = &fstest.MapFile{Data: []byte(text)}
			}
			if found := r.check(readRepository(t, tree)); len(found) == 0 {
				t.Errorf("the rule finds nothing in its bad example %v", r.bad)
			}
		})
	}
}

// TestRulesAcceptAGoodTree guards against rules that refuse everything.
func TestRulesAcceptAGoodTree(t *testing.T) {
	t.Parallel()
	h := readRepository(t, goodTree())
	for _, r := range rules() {
		if found := r.check(h); len(found) > 0 {
			t.Errorf("%s refuses a good tree:\n\t%s", r.name, strings.Join(found, "\n\t"))
		}
	}
}

// goodTree is a small repository with one of everything.
func goodTree() fstest.MapFS {
	tree := fstest.MapFS{}
	put := func(p, text string) { tree[p] = &fstest.MapFile{Data: []byte(text)} }
	put("cmd/stoa/main.go",
		"// Command stoa serves.\npackage main\n\nimport \"stoa.dev/stoa/internal/app\"\n\nfunc main() { app.Main() }\n")
	put("internal/app/doc.go", "// Package app builds the program.\npackage app\n")
	put("internal/app/services.go",
		"package app\n\nimport \"stoa.dev/stoa/internal/service/labels\"\n\nfunc Main() { labels.New() }\n")
	put("internal/app/app_test.go", "package app\n\nfunc TestOpen(t *T) {}\n")
	service := "internal/service/labels/"
	put(service+"doc.go",
		"// Package labels serves limits.\n//\n// # Where the contract is silent we decided\n//\n//   - D-N1 errors\n//   "+
			"- D-N2 states\n//   - D-N3 values\npackage labels\n")
	for _, name := range []string{"config", "types", "errors", "wire"} {
		put(service+name+".go", "package labels\n")
	}
	put(service+"http_test.go", "package labels\n\nfunc TestGet(t *T) {}\n\nfunc FuzzRoutes(f *F) {}\n")
	put(service+"service.go",
		"package labels\n\nimport \"errors\"\n\nvar errGone = errors.New(\"gone\")\n\n// Letter is the contract's letter.\n"+
			"const Letter = \"D\"\n\nfunc New() error { return errGone }\n")
	put(service+"routes.go", "package labels\n\nimport \"net/http\"\n\nconst get = http.MethodGet\n")
	put(service+"http.go", "package labels\n\nimport \"stoa.dev/stoa/internal/platform/wire\"\n\nvar _ = wire.Write\n")
	put(service+"migrations/0001_labels.sql", "CREATE TABLE labels_limits (id BIGINT);\n")
	put("docs/services/labels.md", "# labels\n")
	put("internal/platform/wire/doc.go", "// Package wire encodes.\npackage wire\n")
	put("internal/platform/wire/wire.go",
		"package wire\n\nimport \"stoa.dev/stoa/internal/platform/clock\"\n\n// words is an immutable table.\nvar words = "+
			"map[string]string{}\n\nfunc Write() string { return words[clock.Word] }\n")
	put("internal/platform/wire/wire_test.go", "package wire\n\nfunc FuzzWrite(f *F) {}\n")
	put("internal/platform/clock/doc.go",
		"// Package clock tells time.\npackage clock\n\n// Word is a word.\nconst Word = \"\"\n")
	return tree
}
