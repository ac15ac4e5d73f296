package test_test

import (
	"fmt"
	"go/ast"
	"os"
	"path"
	"sort"
	"strings"
	"testing"
)

// Hard stops. Medians and percentiles are reported, and a review decides.
const (
	mostFileLines     = 700
	mostFunctionLines = 80
	mostTestLines     = 200 // a table of cases is data, and reads as such
	mostMainLines     = 60
)

func budgetRules() []rule {
	long := strings.Repeat("// line\n", mostFileLines)
	return []rule{
		{
			name: "no file is longer than 700 lines", check: fileBudget,
			why: "split by noun; the role suffix comes last",
			bad: map[string]string{"internal/identity/x.go": "package identity\n" + long},
		},
		{
			name: "no function is longer than 80 lines", check: functionBudget,
			why: "read it aloud: where you take a breath, a function ends",
			bad: map[string]string{"internal/identity/x.go": "package identity\n\nfunc f() {\n" + strings.Repeat("\tg()\n", mostFunctionLines) + "}\n"},
		},
		{
			name: "main.go is at most 60 lines", check: mainBudget,
			why: "read arguments, build app, run, exit code",
			bad: map[string]string{"cmd/stoa/main.go": "package main\n" + strings.Repeat("// line\n", mostMainLines)},
		},
	}
}

// span is the number of lines a node covers.
func (s *source) span(n ast.Node) int {
	return s.fset.Position(n.End()).Line - s.fset.Position(n.Pos()).Line + 1
}

func fileBudget(h *repository) []string {
	var bad []string
	for _, s := range h.sources {
		if !s.generated() && s.lines() > mostFileLines {
			bad = append(bad, fmt.Sprintf("%s has %d lines, at most %d", s.Path, s.lines(), mostFileLines))
		}
	}
	return bad
}

func functionBudget(h *repository) []string {
	var bad []string
	for _, s := range h.sources {
		if s.generated() {
			continue
		}
		for _, d := range s.AST.Decls {
			most := mostFunctionLines
			if s.Test {
				most = mostTestLines
			}
			if f, ok := d.(*ast.FuncDecl); ok && s.span(f) > most {
				bad = append(bad, fmt.Sprintf("%s: %s has %d lines, at most %d", s.at(f), f.Name.Name, s.span(f), most))
			}
		}
	}
	return bad
}

func mainBudget(h *repository) []string {
	var bad []string
	for _, s := range h.sources {
		if under(s.Dir, "cmd") && s.Name == "main.go" && s.lines() > mostMainLines {
			bad = append(bad, fmt.Sprintf("%s has %d lines, at most %d", s.Path, s.lines(), mostMainLines))
		}
	}
	return bad
}

// TestBudgetReport prints how the house stands against the budgets that a
// review decides about. It fails only when there is nothing to measure.
func TestBudgetReport(t *testing.T) {
	t.Parallel()
	h := readRepository(t, os.DirFS(".."))
	var files, functions []int
	code, comments := 0, 0
	for _, s := range h.product() {
		files = append(files, s.lines())
		for _, d := range s.AST.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				functions = append(functions, s.span(f))
			}
		}
		c, n := commentLines(s)
		comments, code = comments+c, code+n
	}
	if len(files) == 0 || len(functions) == 0 || code == 0 {
		t.Fatalf("measured %d files, %d functions, %d lines of code", len(files), len(functions), code)
	}
	t.Logf("files: %d, median %d lines (at most 150), p95 %d (at most 500)", len(files), quantile(files, 0.5), quantile(files, 0.95))
	t.Logf("functions: %d, median %d lines, p95 %d (at most 50)", len(functions), quantile(functions, 0.5), quantile(functions, 0.95))
	t.Logf("comment lines per 100 lines of code: %d (15 to 25)", 100*comments/code)
	for _, line := range largePackages(h) {
		t.Log(line)
	}
	for _, line := range wideInterfaces(h) {
		t.Log(line)
	}
}

// quantile returns the q-quantile of the values by rank.
func quantile(values []int, q float64) int {
	sort.Ints(values)
	return values[min(len(values)-1, int(q*float64(len(values))))]
}

// commentLines counts whole comment lines and lines with code.
func commentLines(s *source) (comments, code int) {
	block := false
	for line := range strings.Lines(s.Text) {
		line = strings.TrimSpace(line)
		switch {
		case block || strings.HasPrefix(line, "/*"):
			comments++
			block = !strings.Contains(line, "*/")
		case strings.HasPrefix(line, "//"):
			comments++
		case line != "":
			code++
		}
	}
	return comments, code
}

// largePackages names packages above the budget at which a split is due.
func largePackages(h *repository) []string {
	var out []string
	for _, p := range h.packages() {
		most := 0
		switch {
		case serviceOf(p.Dir) != "":
			most = 2500
		case under(p.Dir, "internal/platform"):
			most = 700
		case p.Dir == "internal/app":
			most = 600
		}
		total := 0
		for _, s := range p.Files {
			if !s.Test && !s.generated() {
				total += s.lines()
			}
		}
		if most > 0 && total > most {
			out = append(out, fmt.Sprintf("package %s: %d lines, budget %d", p.Dir, total, most))
		}
	}
	return out
}

// wideInterfaces names interfaces of more than 7 methods and constructors of
// more than 5 parameters.
func wideInterfaces(h *repository) []string {
	var out []string
	for _, s := range h.product() {
		ast.Inspect(s.AST, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.InterfaceType:
				if n.Methods.NumFields() > 7 {
					out = append(out, fmt.Sprintf("%s: interface of %d methods, budget 7", s.at(n), n.Methods.NumFields()))
				}
			case *ast.FuncDecl:
				if n.Recv == nil && strings.HasPrefix(n.Name.Name, "New") && n.Type.Params.NumFields() > 5 {
					out = append(out, fmt.Sprintf("%s: %s.%s takes %d parameters, budget 5", s.at(n), path.Base(s.Dir), n.Name.Name, n.Type.Params.NumFields()))
				}
			}
			return true
		})
	}
	return out
}
