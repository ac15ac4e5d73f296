package test_test

import (
	"go/ast"
	"go/token"
)

func errorRules() []rule {
	return []rule{
		{
			name: "a discarded result has its reason", check: discardedResults,
			why: "an error that is dropped in silence is lost; handle it, or say on its line or above why it does not matter",
			bad: map[string]string{"internal/identity/x.go": "package identity\n\nfunc f() {\n\t_, _ = g()\n}\n"},
		},
	}
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
