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

// The budgets of the style guide. What is above one stands in allowances, with its
// number and a reason.
const (
	maxFileLines       = 700
	medianFileLines    = 150
	p95FileLines       = 500
	maxFunctionLines   = 80
	p95FunctionLines   = 50
	maxTestLines       = 200 // a table of cases is data, and reads as such
	maxMainLines       = 60
	maxColumns         = 120
	maxPackageLines    = 5000
	maxPlatformLines   = 1500
	maxAppLines        = 2000
	maxMethods         = 7
	maxParameters      = 5
	maxAllowanceMargin = 50 // lines that an allowance may be above what is there
)

func budgetRules() []rule {
	long := strings.Repeat("// line\n", maxFileLines)
	return []rule{
		{
			name: "no file is longer than 700 lines", check: fileBudget,
			why: "split by noun; the role suffix comes last",
			bad: map[string]string{"internal/identity/x.go": "package identity\n" + long},
		},
		{
			name: "no function is longer than 80 lines", check: functionBudget,
			why: "read it aloud: where you take a breath, a function ends",
			bad: map[string]string{
				"internal/identity/x.go": "package identity\n\nfunc f() {\n" + strings.Repeat("\tg()\n", maxFunctionLines) + "}\n",
			},
		},
		{
			name: "main.go is at most 60 lines", check: mainBudget,
			why: "read arguments, build app, run, exit code",
			bad: map[string]string{"cmd/stoa/main.go": "package main\n" + strings.Repeat("// line\n", maxMainLines)},
		},
		{
			name: "files and functions are short as a rule", check: typicalSizes,
			why: "median of files 150 lines, 95 of 100 below 500; 95 of 100 functions below 50",
			bad: map[string]string{
				"internal/identity/x.go": "package identity\n\nfunc f() {\n" + strings.Repeat("\tg()\n", p95FunctionLines) + "}\n",
			},
		},
		{
			name: "packages keep their size", check: packageBudget,
			why: "a mechanism inside a large package becomes a package of its own, with a doc.go and a narrow interface",
			bad: map[string]string{
				"internal/platform/ids/x.go": "package ids\n" + strings.Repeat("// line\n", maxPlatformLines),
			},
		},
		{
			name: "no line is longer than 120 columns", check: lineBudget,
			why: "two files side by side fit on a screen; name a value or break the literal",
			bad: map[string]string{"internal/identity/x.go": "package identity\n\n// " + strings.Repeat("x", maxColumns) + "\n"},
		},
		{
			name: "interfaces and constructors are narrow", check: wideInterfaces,
			why: "7 methods and 5 parameters at most; an Options struct or a smaller interface says more",
			bad: map[string]string{"internal/identity/x.go": "package identity\n\nfunc NewX(a, b, c, d, e, f int) {}\n"},
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
		if !s.generated() && s.lines() > maxFileLines {
			bad = append(bad, fmt.Sprintf("%s has %d lines, at most %d", s.Path, s.lines(), maxFileLines))
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
		limit := maxFunctionLines
		if s.Test {
			limit = maxTestLines
		}
		for _, d := range s.AST.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && s.span(f) > limit {
				bad = append(bad, fmt.Sprintf("%s: %s has %d lines, at most %d", s.at(f), f.Name.Name, s.span(f), limit))
			}
		}
	}
	return bad
}

func mainBudget(h *repository) []string {
	var bad []string
	for _, s := range h.sources {
		if under(s.Dir, "cmd") && s.Name == "main.go" && s.lines() > maxMainLines {
			bad = append(bad, fmt.Sprintf("%s has %d lines, at most %d", s.Path, s.lines(), maxMainLines))
		}
	}
	return bad
}

// typicalSizes compares the median and the 95th percentile of the product.
func typicalSizes(h *repository) []string {
	var files, functions []int
	for _, s := range h.product() {
		files = append(files, s.lines())
		for _, d := range s.AST.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				functions = append(functions, s.span(f))
			}
		}
	}
	var bad []string
	compare := func(what string, got, limit int) {
		if got > limit {
			bad = append(bad, fmt.Sprintf("%s: %d lines, at most %d", what, got, limit))
		}
	}
	compare("median of files", quantile(files, 0.5), medianFileLines)
	compare("95th percentile of files", quantile(files, 0.95), p95FileLines)
	compare("95th percentile of functions", quantile(functions, 0.95), p95FunctionLines)
	return bad
}

// quantile returns the q-quantile of the values by rank, 0 of none.
func quantile(values []int, q float64) int {
	if len(values) == 0 {
		return 0
	}
	sort.Ints(values)
	return values[min(len(values)-1, int(q*float64(len(values))))]
}

// packageLines are the product lines of each package with the budget it has.
func packageLines(h *repository) map[string][2]int {
	out := map[string][2]int{}
	for _, p := range h.packages() {
		if !under(p.Dir, "internal") {
			continue
		}
		budget := maxPackageLines
		switch {
		case under(p.Dir, "internal/platform"):
			budget = maxPlatformLines
		case p.Dir == "internal/app":
			budget = maxAppLines
		}
		total := 0
		for _, s := range p.Files {
			if !s.Test && !s.generated() {
				total += s.lines()
			}
		}
		out[p.Dir] = [2]int{total, budget}
	}
	return out
}

func packageBudget(h *repository) []string {
	var bad []string
	for dir, n := range packageLines(h) {
		limit := n[1]
		if a, ok := allowedPackages()[dir]; ok {
			limit = a.lines
		}
		if n[0] > limit {
			bad = append(bad, fmt.Sprintf("package %s has %d lines, at most %d", dir, n[0], limit))
		}
	}
	sort.Strings(bad)
	return bad
}

// lineBudget counts characters, a tab as one. Files that the list allows some long
// lines have no more than that.
func lineBudget(h *repository) []string {
	var bad []string
	for p, lines := range longLines(h) {
		if len(lines) > allowedLongLines()[p] {
			bad = append(bad, fmt.Sprintf("%s: line %d is longer than %d columns", p, lines[0], maxColumns))
		}
	}
	sort.Strings(bad)
	return bad
}

// longLines are the numbers of too long lines, by file. What stands inside a raw
// string is data and not wrapped.
func longLines(h *repository) map[string][]int {
	out := map[string][]int{}
	for _, s := range h.sources {
		if s.generated() {
			continue
		}
		raw := rawLines(s)
		n := 0
		for line := range strings.Lines(s.Text) {
			n++
			if len([]rune(strings.TrimRight(line, "\n"))) > maxColumns && !raw[n] {
				out[s.Path] = append(out[s.Path], n)
			}
		}
	}
	return out
}

// rawLines are the lines that a raw string covers or ends on.
func rawLines(s *source) map[int]bool {
	out := map[int]bool{}
	ast.Inspect(s.AST, func(n ast.Node) bool {
		lit, ok := n.(*ast.BasicLit)
		if ok && strings.HasPrefix(lit.Value, "`") {
			for l := s.line(lit); l <= s.fset.Position(lit.End()).Line; l++ {
				out[l] = true
			}
		}
		return true
	})
	return out
}

// wideInterfaces names interfaces of too many methods and constructors of too many
// parameters.
func wideInterfaces(h *repository) []string {
	var out []string
	for _, s := range h.product() {
		ast.Inspect(s.AST, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.InterfaceType:
				if got := ownMethods(n); got > maxMethods {
					out = append(out, fmt.Sprintf("%s: interface of %d methods, at most %d", s.at(n), got, maxMethods))
				}
			case *ast.FuncDecl:
				got := n.Type.Params.NumFields()
				if n.Recv == nil && strings.HasPrefix(n.Name.Name, "New") && got > maxParameters {
					out = append(out, fmt.Sprintf("%s: %s.%s takes %d parameters, at most %d",
						s.at(n), path.Base(s.Dir), n.Name.Name, got, maxParameters))
				}
			}
			return true
		})
	}
	return out
}

// ownMethods counts what an interface declares beside what it embeds.
func ownMethods(n *ast.InterfaceType) (count int) {
	for _, f := range n.Methods.List {
		count += len(f.Names)
	}
	return count
}

// TestAllowancesShrink fails when an allowance is larger than what is there needs:
// what was won is not given away again.
func TestAllowancesShrink(t *testing.T) {
	t.Parallel()
	h := readRepository(t, os.DirFS(".."))
	sizes := packageLines(h)
	for dir, a := range allowedPackages() {
		n := sizes[dir]
		if n[0] <= n[1] {
			t.Errorf("package %s has %d lines and needs no allowance", dir, n[0])
		} else if a.lines > n[0]+maxAllowanceMargin {
			t.Errorf("package %s has %d lines: lower its allowance of %d", dir, n[0], a.lines)
		}
		if a.why == "" {
			t.Errorf("the allowance of %s has no reason", dir)
		}
	}
	long := longLines(h)
	for p, n := range allowedLongLines() {
		if len(long[p]) < n {
			t.Errorf("%s has %d long lines: lower its allowance of %d", p, len(long[p]), n)
		}
	}
	words, texts := byFile(identifierWords(h)), byFile(plainTexts(h))
	for p, n := range allowedIdentifiers() {
		if words[p] < n {
			t.Errorf("%s has %d such identifiers: lower its allowance of %d", p, words[p], n)
		}
	}
	for p, n := range allowedTexts() {
		if texts[p] < n {
			t.Errorf("%s has %d such words: lower its allowance of %d", p, texts[p], n)
		}
	}
}
