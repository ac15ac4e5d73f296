package test_test

import (
	"fmt"
	"go/ast"
	"path"
	"slices"
	"strings"
)

func packageRules() []rule {
	return []rule{
		{
			name: "packages are nouns", check: packageNames,
			why: "a helper without a home means that a noun is missing: find it",
			bad: map[string]string{"internal/platform/util/x.go": "package util\n"},
		},
		{
			name: "the package is named as its folder", check: folderNames,
			why: "import path and selector must agree",
			bad: map[string]string{"internal/identity/x.go": "package stuff\n"},
		},
		{
			name: "every package has a doc.go", check: packageDocs,
			why: "doc.go says what the package owns and what it does not",
			bad: map[string]string{"internal/identity/x.go": "package identity\n"},
		},
		{
			name: "every package has tests", check: packageTests,
			why: "an untested package is a promise that is not kept",
			bad: map[string]string{"internal/identity/x.go": "package identity\n\nfunc F() {}\n"},
		},
		{
			name: "migrations are numbered without gaps", check: migrationNumbers,
			why: "migrations run in order, forward only",
			bad: map[string]string{"internal/identity/migrations/0002_users.sql": "CREATE TABLE identity_users (id BIGINT);\n"},
		},
		{
			name: "decision records have four parts", check: decisionRecords,
			why: "context, drivers, decision, consequences: a reader in two years needs all four",
			bad: map[string]string{"docs/adr/0001-x.md": "# X\n\n## Context\n"},
		},
	}
}

// forbiddenNames say nothing about what is inside.
func forbiddenNames() []string {
	return []string{"util", "utils", "common", "helper", "helpers", "base", "misc", "shared", "types", "lib", "core"}
}

func packageNames(h *repository) []string {
	var bad []string
	for _, p := range h.packages() {
		if name := path.Base(p.Dir); slices.Contains(forbiddenNames(), name) {
			bad = append(bad, fmt.Sprintf("%s: %q is not a noun of this repository", p.Dir, name))
		}
	}
	return bad
}

func folderNames(h *repository) []string {
	var bad []string
	for _, s := range h.sources {
		name, want := s.AST.Name.Name, path.Base(s.Dir)
		if name != want && name != want+"_test" && name != "main" && want != "." && !s.generated() {
			bad = append(bad, fmt.Sprintf("%s is package %s, want %s", s.Path, name, want))
		}
	}
	return bad
}

func packageDocs(h *repository) []string {
	var bad []string
	for _, p := range h.packages() {
		if !slices.ContainsFunc(p.Files, func(s *source) bool { return !s.Test && !s.generated() }) {
			continue
		}
		// A command documents itself in main.go.
		doc, opening := p.file("doc.go"), "Package "+path.Base(p.Dir)+" "
		if main := p.file("main.go"); doc == nil && main != nil {
			doc = main
		}
		if doc != nil && doc.AST.Name.Name == "main" {
			opening = "Command "
		}
		switch {
		case doc == nil:
			bad = append(bad, p.Dir+" has no doc.go")
		case !strings.HasPrefix(doc.AST.Doc.Text(), opening):
			bad = append(bad, fmt.Sprintf("%s does not open with %q", doc.Path, opening))
		}
	}
	return bad
}

func packageTests(h *repository) []string {
	var bad []string
	for _, p := range h.packages() {
		if !under(p.Dir, "internal") && !under(p.Dir, "engine") || helper(p.Dir) {
			continue
		}
		tested, logic := false, false
		for _, s := range p.Files {
			tested = tested || (s.Test && hasTests(s))
			logic = logic || (!s.Test && !s.generated() && hasFunctions(s))
		}
		if logic && !tested {
			bad = append(bad, p.Dir+" has functions and no test")
		}
	}
	return bad
}

// hasTests tells a file that tests from one that only prepares.
func hasTests(s *source) bool {
	return slices.ContainsFunc(s.AST.Decls, func(d ast.Decl) bool {
		f, ok := d.(*ast.FuncDecl)
		return ok && f.Recv == nil &&
			(strings.HasPrefix(f.Name.Name, "Test") && f.Name.Name != "TestMain" || strings.HasPrefix(f.Name.Name, "Fuzz"))
	})
}

func hasFunctions(s *source) bool {
	return slices.ContainsFunc(s.AST.Decls, func(d ast.Decl) bool {
		_, ok := d.(*ast.FuncDecl)
		return ok
	})
}

func migrationNumbers(h *repository) []string {
	next := map[string]int{}
	var bad []string
	for _, p := range h.others {
		dir, name := path.Split(p)
		if path.Base(dir) != "migrations" || !strings.HasSuffix(name, ".sql") {
			continue
		}
		if strings.Count(name, ".") > 1 { // 0001_name.postgres.sql accompanies 0001_name.sql
			continue
		}
		next[dir]++
		if want := fmt.Sprintf("%04d_", next[dir]); !strings.HasPrefix(name, want) {
			bad = append(bad, fmt.Sprintf("%s: want a name that starts with %s", p, want))
		}
	}
	return bad
}

func decisionRecords(h *repository) []string {
	var bad []string
	for _, p := range h.others {
		name := path.Base(p)
		if path.Dir(p) != "docs/adr" || name == "README.md" || name == "template.md" {
			continue
		}
		text := h.text(p)
		for _, part := range []string{"## Context", "## Drivers", "## Decision", "## Consequences"} {
			if !strings.Contains(text, "\n"+part) {
				bad = append(bad, fmt.Sprintf("%s lacks %q", p, part))
			}
		}
	}
	return bad
}
