package test_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode"
)

func wordRules() []rule {
	return []rule{
		{
			name:  "identifiers say the mechanism",
			check: func(h *repository) []string { return beyond(identifierWords(h), allowedIdentifiers()) },
			why: "max and default for bounds, user and caller for who asks, cache, lease, server: words that a Go reader or " +
				"the contract uses",
			bad: map[string]string{"internal/identity/x.go": "package identity\n\nconst mostNames = 3\n"},
		},
		{
			name: "texts are plain", check: func(h *repository) []string { return beyond(plainTexts(h), allowedTexts()) },
			why: "comments, errors, logs, labels and pages say what is there; the picture is the README's",
			bad: map[string]string{
				"internal/identity/x.go": "package identity\n\n// f answers who" + "ever asks.\nfunc f() {}\n",
			},
		},
		{
			name: "log messages begin with a noun", check: logMessages,
			why: "an operator searches for what it is about: \"job failed\", \"server stopping\"",
			bad: map[string]string{
				"internal/identity/x.go": "package identity\n\nimport \"log/slog\"\n\n" +
					"func f(log *slog.Logger) { log.Warn(\"the key expired\") }\n",
			},
		},
	}
}

// beyond leaves out what the files on the list are still allowed.
func beyond(found []string, allowed map[string]int) []string {
	counts := byFile(found)
	var bad []string
	for _, f := range found {
		if p, _, _ := strings.Cut(f, ":"); counts[p] > allowed[p] {
			bad = append(bad, f)
		}
	}
	return bad
}

// byFile counts findings, which begin with the file's path and a colon.
func byFile(found []string) map[string]int {
	counts := map[string]int{}
	for _, f := range found {
		p, _, _ := strings.Cut(f, ":")
		counts[p]++
	}
	return counts
}

// pictureWords are never a word of an identifier.
func pictureWords() []string {
	return []string{
		"house", "houses", "roof", "room", "rooms", "ground", "storey", "people", "person", "persons", "nobody", "somebody",
		"stranger", "strangers", "whoever", "usual",
	}
}

// plainPattern finds the picture's words, and phrases that have a plain form, in
// comments, strings and pages.
var plainPattern = regexp.MustCompile(`(?i)\b(houses?|roofs?|rooms?|storeys?|people|nobody|somebody|strangers?|whoever|` +
	`tells? whether|holds? that)\b`)

// mayHavePicture reports whether plainPattern is worth asking: it takes a minute
// for the whole repository under the race detector.
func mayHavePicture(line string) bool {
	line = strings.ToLower(line)
	return slices.ContainsFunc([]string{
		"house", "roof", "room", "storey", "people", "nobody", "somebody", "stranger", "whoever", "tell", "hold",
	}, func(stem string) bool { return strings.Contains(line, stem) })
}

// foreignNames takes out of a line what is named so elsewhere: by net/http, and by
// the operating systems' list of users.
var foreignNames = strings.NewReplacer("http.NoBody", "", `"postgres", "nobody"`, "", "postgres, nobody", "")

// identifierWords splits every declared name at its capitals.
func identifierWords(h *repository) []string {
	banned := map[string]bool{}
	for _, w := range pictureWords() {
		banned[w] = true
	}
	var bad []string
	for _, s := range h.sources {
		if s.generated() {
			continue
		}
		for _, w := range nameWords(strings.TrimSuffix(s.Name, ".go")) {
			if banned[w] {
				bad = append(bad, fmt.Sprintf("%s: %q in the file's name", s.Path, w))
			}
		}
		for id := range declared(s) {
			words := nameWords(id.Name)
			for i, w := range words {
				if banned[w] && !contractWord(id.Name) || i == 0 && w == "most" && len(words) > 1 {
					bad = append(bad, fmt.Sprintf("%s: %q in %s", s.at(id), w, id.Name))
				}
			}
		}
	}
	sort.Strings(bad)
	return bad
}

// logMessages finds texts for the log whose first word is no noun: an article, a
// verb or a negation. Texts that are handed to a function of ours, as its callers
// do, are not seen.
func logMessages(h *repository) []string {
	first := regexp.MustCompile(`(?i)^(an?|the|no|not|cannot|could|failed|unable|[a-z]+ing)\b`)
	at := map[string]int{
		"Debug": 0, "Info": 0, "Warn": 0, "Error": 0, "Log": 2, "LogAttrs": 2,
		"DebugContext": 1, "InfoContext": 1, "WarnContext": 1, "ErrorContext": 1,
	}
	var bad []string
	for _, s := range h.sources {
		if s.Test {
			continue
		}
		ast.Inspect(s.AST, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			method, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			i, ok := at[method.Sel.Name]
			if !ok || i >= len(call.Args) || !isLog(method.X) {
				return true
			}
			text, ok := call.Args[i].(*ast.BasicLit)
			if ok && text.Kind == token.STRING && first.MatchString(text.Value[1:]) {
				bad = append(bad, fmt.Sprintf("%s: %s", s.at(call), text.Value))
			}
			return true
		})
	}
	return bad
}

// isLog reports whether an expression is named as a logger.
func isLog(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return slices.Contains([]string{"log", "logger", "slog"}, strings.ToLower(e.Name))
	case *ast.SelectorExpr:
		return isLog(e.Sel)
	}
	return false
}

// contractWord reports whether a name is one that a contract prints.
func contractWord(name string) bool {
	return map[string]bool{}[name]
}

// declared are the identifiers that a file declares: types, functions, fields,
// variables, parameters.
func declared(s *source) map[*ast.Ident]bool {
	out := map[*ast.Ident]bool{}
	add := func(ids ...*ast.Ident) {
		for _, id := range ids {
			out[id] = true
		}
	}
	ast.Inspect(s.AST, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			add(n.Name)
		case *ast.TypeSpec:
			add(n.Name)
		case *ast.ValueSpec:
			add(n.Names...)
		case *ast.Field:
			add(n.Names...)
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				if id, ok := e.(*ast.Ident); ok {
					add(id)
				}
			}
		case *ast.RangeStmt:
			for _, e := range []ast.Expr{n.Key, n.Value} {
				if id, ok := e.(*ast.Ident); ok {
					add(id)
				}
			}
		}
		return true
	})
	return out
}

// nameWords splits mostNames and most_names into most and names.
func nameWords(name string) []string {
	var words []string
	var word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			words = append(words, strings.ToLower(word.String()))
			word.Reset()
		}
	}
	lower := false
	for _, r := range name {
		if r == '_' || unicode.IsUpper(r) && lower {
			flush()
		}
		if r != '_' {
			word.WriteRune(r)
		}
		lower = unicode.IsLower(r) || unicode.IsDigit(r)
	}
	flush()
	return words
}

// plainTexts looks at the whole text of Go files, templates, stories and pages.
func plainTexts(h *repository) []string {
	var bad []string
	see := func(p, text string) {
		n := 0
		for line := range strings.Lines(text) {
			n++
			if !mayHavePicture(line) {
				continue
			}
			if m := plainPattern.FindString(foreignNames.Replace(line)); m != "" && !quoted(p, line) {
				bad = append(bad, fmt.Sprintf("%s:%d: %q", p, n, m))
			}
		}
	}
	for _, s := range h.sources {
		if !s.generated() && s.Name != "arch_words_test.go" && s.Name != "arch_allowed_test.go" {
			see(s.Path, s.Text)
		}
	}
	stories, _ := fs.Glob(h.root, "test/stories/testdata/*.txtar") // the pattern is well formed
	for _, p := range slices.Concat(h.others, stories) {
		switch path.Ext(p) {
		case ".html", ".svg", ".txtar", ".sh", ".tmpl":
			see(p, h.text(p))
		case ".md":
			if p != "README.md" && !under(p, "changelog") && !under(p, "docs/adr") { // records are not rewritten
				see(p, h.text(p))
			}
		}
	}
	sort.Strings(bad)
	return bad
}

// quoted are lines with words that are not ours: data of a contract or a corpus.
func quoted(p, line string) bool {
	return strings.Contains(p, "testdata/") && !strings.HasSuffix(p, ".txtar")
}
