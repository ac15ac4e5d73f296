package test_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"stoa.dev/stoa/test/conformance"
)

// module is the import path every package of the repository starts with.
const module = "stoa.dev/stoa/"

// source is one parsed Go file with its place in the repository.
type source struct {
	Path string // slash path from the root, e.g. internal/service/tasks/http.go
	Dir  string
	Name string
	Test bool
	Text string
	AST  *ast.File
	fset *token.FileSet
}

// repository is the tree as the rules see it: every Go file, every other
// file by path, and the open questions of the contract by service letter.
type repository struct {
	root    fs.FS
	sources []*source
	others  []string
	open    map[string][]string
}

// skipped names folders that are not ours to judge: caches, build output,
// the tools module and test data.
func skipped(name string) bool {
	return name == "testdata" || name == "bin" || name == "tools" || name == "node_modules" ||
		(strings.HasPrefix(name, ".") && name != ".")
}

// readRepository parses a whole tree. The same function reads the repository and the
// in-memory bad examples, so a rule cannot behave differently on the two.
func readRepository(tb testing.TB, root fs.FS) *repository {
	tb.Helper()
	h := &repository{root: root, open: openQuestions(tb)}
	err := fs.WalkDir(root, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if skipped(d.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(p, ".go") {
			h.others = append(h.others, p)
			return nil
		}
		s, err := parse(root, p)
		if err != nil {
			return err
		}
		h.sources = append(h.sources, s)
		return nil
	})
	if err != nil {
		tb.Fatalf("reading the fixture: %v", err)
	}
	return h
}

// openQuestions groups the contract's open rows by service letter.
func openQuestions(tb testing.TB) map[string][]string {
	tb.Helper()
	rows, err := conformance.Rows()
	if err != nil {
		tb.Fatalf("reading the rows of the contract: %v", err)
	}
	open := map[string][]string{}
	for _, r := range rows {
		if r.Kind == conformance.Open {
			open[r.Letter()] = append(open[r.Letter()], r.ID)
		}
	}
	return open
}

func parse(root fs.FS, p string) (*source, error) {
	text, err := fs.ReadFile(root, p)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, p, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("parsing %s: %w", p, err)
	}
	return &source{
		Path: p, Dir: path.Dir(p), Name: path.Base(p), Text: string(text),
		Test: strings.HasSuffix(p, "_test.go"), AST: f, fset: fset,
	}, nil
}

// product returns the files that end up in the binary or in a helper package.
func (h *repository) product() []*source {
	var out []*source
	for _, s := range h.sources {
		if !s.Test && !s.generated() {
			out = append(out, s)
		}
	}
	return out
}

// packages groups files by folder, in path order.
func (h *repository) packages() []folder {
	byDir := map[string][]*source{}
	for _, s := range h.sources {
		byDir[s.Dir] = append(byDir[s.Dir], s)
	}
	var out []folder
	for dir, files := range byDir {
		out = append(out, folder{Dir: dir, Files: files})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Dir < out[j].Dir })
	return out
}

// services returns the folders of internal/service, one per service.
func (h *repository) services() []folder {
	var out []folder
	for _, p := range h.packages() {
		if path.Dir(p.Dir) == "internal/service" {
			out = append(out, p)
		}
	}
	return out
}

// has reports whether a file other than Go source exists at the path.
func (h *repository) has(p string) bool { return slices.Contains(h.others, p) }

type folder struct {
	Dir   string
	Files []*source
}

// file returns the named file of the folder, nil when there is none.
func (f folder) file(name string) *source {
	for _, s := range f.Files {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// line is where a node starts, for messages.
func (s *source) line(n ast.Node) int { return s.fset.Position(n.Pos()).Line }

// at names a node the way editors jump to it.
func (s *source) at(n ast.Node) string { return s.Path + ":" + strconv.Itoa(s.line(n)) }

// lines counts the lines of the file.
func (s *source) lines() int { return strings.Count(s.Text, "\n") }

// generated tells machine-written files apart; budgets and style do not bind them.
func (s *source) generated() bool { return ast.IsGenerated(s.AST) }

// imports returns the import paths of the file.
func (s *source) imports() []string {
	var out []string
	for _, spec := range s.AST.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err == nil {
			out = append(out, p)
		}
	}
	return out
}

// ours returns the imported folders of this repository.
func (s *source) ours() []string {
	var out []string
	for _, p := range s.imports() {
		if rest, ok := strings.CutPrefix(p, module); ok {
			out = append(out, rest)
		}
	}
	return out
}

// uses returns the positions of selectors such as time.Now on the imported
// package, whatever local name the import has.
func (s *source) uses(importPath string, names ...string) []ast.Node {
	local := ""
	for _, spec := range s.AST.Imports {
		if p, _ := strconv.Unquote(spec.Path.Value); p == importPath {
			local = path.Base(importPath)
			if spec.Name != nil {
				local = spec.Name.Name
			}
		}
	}
	if local == "" {
		return nil
	}
	var out []ast.Node
	ast.Inspect(s.AST, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok || !slices.Contains(names, sel.Sel.Name) {
			return true
		}
		if id, ok := sel.X.(*ast.Ident); ok && id.Name == local {
			out = append(out, sel)
		}
		return true
	})
	return out
}

// under reports whether dir is base or lies below it.
func under(dir, base string) bool { return dir == base || strings.HasPrefix(dir, base+"/") }

// serviceOf returns the service a folder belongs to, empty outside internal/service.
func serviceOf(dir string) string {
	rest, ok := strings.CutPrefix(dir, "internal/service/")
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(rest, "/")
	return name
}
