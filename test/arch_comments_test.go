package test_test

import (
	"fmt"
	"go/ast"
	"path"
	"regexp"
	"sort"
	"strings"
	"unicode"
)

func commentRules() []rule {
	return []rule{
		{
			name: "comments begin with the name they are about", check: commentNames,
			why: "a renamed function keeps its old name in the comment, and a reader searches for it in vain",
			bad: map[string]string{"internal/identity/x.go": "package identity\n\n// put keeps it.\nfunc keep() {}\n"},
		},
		{
			name: "comments name files that exist", check: commentFiles,
			why: "a renamed file keeps its old name in the comment, and a reader searches for it in vain",
			bad: map[string]string{"internal/identity/x.go": "// Package identity (see tokens.go).\npackage identity\n"},
		},
	}
}

// commentNames compares the first word of a comment with what is declared below it.
// A word in lower case cannot begin a sentence, so it is a name.
func commentNames(h *repository) []string {
	var bad []string
	for _, s := range h.sources {
		if s.generated() {
			continue
		}
		for _, d := range s.AST.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				bad = append(bad, misnamed(s, d.Doc, d.Name)...)
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					names, doc := specNames(spec)
					if doc == nil && len(d.Specs) == 1 {
						doc = d.Doc
					}
					bad = append(bad, misnamed(s, doc, names...)...)
				}
			}
		}
	}
	sort.Strings(bad)
	return bad
}

func specNames(spec ast.Spec) ([]*ast.Ident, *ast.CommentGroup) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		return []*ast.Ident{spec.Name}, spec.Doc
	case *ast.ValueSpec:
		return spec.Names, spec.Doc
	}
	return nil, nil
}

func misnamed(s *source, doc *ast.CommentGroup, names ...*ast.Ident) []string {
	if doc == nil || len(names) == 0 {
		return nil
	}
	first, _, _ := strings.Cut(strings.TrimSpace(doc.Text()), " ")
	first = strings.TrimRight(first, ",:;.")
	if first == "" || !unicode.IsLower([]rune(first)[0]) {
		return nil
	}
	for _, n := range names {
		if n.Name == first {
			return nil
		}
	}
	return []string{fmt.Sprintf("%s: the comment of %s begins with %q", s.at(names[0]), names[0].Name, first)}
}

// fileName finds names of files; x.go and what begins like it stand for any.
var fileName = regexp.MustCompile(`(?:^|[\s(,"` + "`" + `])([a-wyz][a-z0-9_]*\.go)\b`)

// commentFiles looks for each file that a comment names, in any folder.
func commentFiles(h *repository) []string {
	exists := map[string]bool{}
	for _, s := range h.sources {
		exists[path.Base(s.Path)] = true
	}
	var bad []string
	for _, s := range h.product() {
		for _, group := range s.AST.Comments {
			for _, found := range fileName.FindAllStringSubmatch(group.Text(), -1) {
				if !exists[found[1]] {
					bad = append(bad, fmt.Sprintf("%s: a comment names %s", s.Path, found[1]))
				}
			}
		}
	}
	sort.Strings(bad)
	return bad
}
