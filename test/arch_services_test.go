package test_test

import (
	"fmt"
	"go/ast"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"stoa.dev/stoa/test/conformance"
)

func serviceRules() []rule {
	const head = "// Package tasks keeps lists.\n"
	return []rule{
		{
			name: "every service has the same files", check: serviceFiles,
			why: "a reader who knows one service knows all",
			bad: map[string]string{"internal/service/tasks/doc.go": head + "package tasks\n"},
		},
		{
			name: "file suffixes are roles", check: serviceSuffixes,
			why: "noun_role.go or noun_noun_role.go: the role comes last and has one name everywhere",
			bad: map[string]string{"internal/service/tasks/items_db.go": "package tasks\n"},
		},
		{
			name: "every service says where the contract is silent", check: serviceDecisions,
			why: "an open question of the contract is closed by a line in doc.go that names its id",
			bad: map[string]string{
				"internal/service/tasks/doc.go": head +
					"//\n// # Where the contract is silent we decided\n//\n// C-N1 only.\npackage tasks\n",
			},
		},
		{
			name: "every service has a page", check: servicePages,
			why: "docs/services has one page per service",
			bad: map[string]string{"internal/service/tasks/doc.go": head + "package tasks\n"},
		},
		{
			name: "tables carry the owner's name", check: tableNames,
			why: "no service reads another's tables; the prefix shows whose they are",
			bad: map[string]string{
				"internal/service/tasks/migrations/0001_tasks.sql": "CREATE TABLE items (id BIGINT);\n",
				"internal/service/tasks/doc.go":                    head + "package tasks\n",
			},
		},
		{
			name: "handlers are named and short", check: handlers,
			why: "decode, call, encode: three paragraphs; more is a decision that belongs in the service",
			bad: map[string]string{
				"internal/service/tasks/http.go": "package tasks\n\nfunc (s *Service) handleX() {\n" +
					strings.Repeat("\ts.y()\n", 60) + "}\n",
			},
		},
		{
			name: "muxes stand on their world", check: worldMuxes,
			why: "world.RouteOptions gives a mux its clock, journal, fault rules and budgets: none can be forgotten",
			bad: map[string]string{
				"internal/service/tasks/routes.go": "package tasks\n\nimport \"stoa.dev/stoa/internal/platform/route\"\n\n" +
					"func (s *Service) muxOptions() route.Options { return route.Options{Service: Name} }\n",
			},
		},
	}
}

// text reads a file that is not Go source.
func (h *repository) text(p string) string {
	b, err := fs.ReadFile(h.root, p)
	if err != nil {
		return ""
	}
	return string(b)
}

// serviceFiles demands the agreed anatomy. A service split by noun has the role
// as a suffix: items_http.go stands for http.go. kms speaks gRPC and has rpc.go
// in place of the three HTTP files.
func serviceFiles(h *repository) []string {
	var bad []string
	for _, p := range h.services() {
		want := []string{"doc.go", "config.go", "types.go", "errors.go", "service.go"}
		if !p.role("rpc.go") {
			want = append(want, "routes.go", "http.go", "wire.go", "http_test.go")
		}
		if p.role("store.go") {
			want = append(want, "store_test.go")
		}
		for _, name := range want {
			if !p.role(name) {
				bad = append(bad, p.Dir+" has no "+name)
			}
		}
	}
	return bad
}

// role reports whether the folder has the file, or one of a noun in that role.
func (f folder) role(name string) bool {
	return slices.ContainsFunc(f.Files, func(s *source) bool {
		return s.Name == name || strings.HasSuffix(s.Name, "_"+name)
	})
}

// serviceSuffixes refuses a role that is not the last word of a file name, and a
// second word for a role that has one.
func serviceSuffixes(h *repository) []string {
	roles := []string{"http", "store", "wire", "jobs", "rpc", "routes", "errors", "types"}
	synonyms := map[string]string{
		"db": "store", "sql": "store", "dao": "store", "repo": "store", "handler": "http", "handlers": "http", "api": "http",
		"json": "wire", "grpc": "rpc", "err": "errors", "worker": "jobs",
	}
	var bad []string
	for _, p := range h.services() {
		for _, s := range p.Files {
			words := strings.Split(strings.TrimSuffix(strings.TrimSuffix(s.Name, ".go"), "_test"), "_")
			for i, word := range words[1:] {
				if role := synonyms[word]; role != "" {
					bad = append(bad, fmt.Sprintf("%s: the role is called %q, not %q", s.Path, role, word))
				}
				if !s.Test && i+2 < len(words) && slices.Contains(roles, word) {
					bad = append(bad, fmt.Sprintf("%s: the role %q comes last", s.Path, word))
				}
			}
		}
	}
	return bad
}

func serviceDecisions(h *repository) []string {
	const heading = "Where the contract is silent we decided"
	var bad []string
	for _, p := range h.services() {
		doc := p.file("doc.go")
		letter := conformance.Letter(path.Base(p.Dir))
		switch {
		case letter == "":
			bad = append(bad, p.Dir+" is not one of the services")
		case doc == nil || !strings.Contains(doc.AST.Doc.Text(), heading):
			bad = append(bad, fmt.Sprintf("%s/doc.go has no section %q", p.Dir, heading))
		default:
			for _, id := range h.open[letter] {
				if !regexp.MustCompile(`\b` + id + `\b`).MatchString(doc.AST.Doc.Text()) {
					bad = append(bad, fmt.Sprintf("%s does not say what we decided for %s", doc.Path, id))
				}
			}
		}
	}
	return bad
}

func servicePages(h *repository) []string {
	var bad []string
	for _, p := range h.services() {
		if page := "docs/services/" + path.Base(p.Dir) + ".md"; !h.has(page) {
			bad = append(bad, page+" is missing")
		}
	}
	return bad
}

func tableNames(h *repository) []string {
	create := regexp.MustCompile(`(?i)CREATE TABLE(?: IF NOT EXISTS)? ([a-z0-9_"]+)`)
	var bad []string
	for _, p := range h.others {
		dir := path.Dir(p)
		if path.Base(dir) != "migrations" || !strings.HasSuffix(p, ".sql") {
			continue
		}
		owner := path.Base(path.Dir(dir))
		for _, m := range create.FindAllStringSubmatch(h.text(p), -1) {
			// The platform's own tables all start with stoa_.
			platform := under(p, "internal/platform") && strings.HasPrefix(m[1], "stoa_")
			if m[1] != owner && !strings.HasPrefix(m[1], owner+"_") && !platform {
				bad = append(bad, fmt.Sprintf("%s creates %s, want the prefix %s_", p, m[1], owner))
			}
		}
	}
	return bad
}

// handlers bounds handle… functions in *http.go by 45 lines: the contract says
// about 25, and a review decides between the two.
func handlers(h *repository) []string {
	const limit = 45
	var bad []string
	for _, p := range h.services() {
		for _, s := range p.Files {
			if s.Test || !strings.HasSuffix(s.Name, "http.go") {
				continue
			}
			for _, d := range s.AST.Decls {
				f, ok := d.(*ast.FuncDecl)
				if ok && strings.HasPrefix(f.Name.Name, "handle") && s.span(f) > limit {
					bad = append(bad, fmt.Sprintf("%s: %s has %d lines, at most %d", s.at(f), f.Name.Name, s.span(f), limit))
				}
			}
		}
	}
	return bad
}

// worldMuxes refuses options of a mux that do not go through the world.
func worldMuxes(h *repository) []string {
	var bad []string
	for _, s := range h.product() {
		if !under(s.Dir, "internal/service") && !under(s.Dir, "internal/forge") && !under(s.Dir, "internal/console") {
			continue
		}
		given := map[ast.Node]bool{}
		ast.Inspect(s.AST, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 {
				return true
			}
			if to, ok := call.Fun.(*ast.SelectorExpr); ok && to.Sel.Name == "RouteOptions" {
				given[call.Args[0]] = true
			}
			return true
		})
		for _, n := range s.uses(module+"internal/platform/route", "Options") {
			if lit := s.literal(n); lit != nil && !given[lit] {
				bad = append(bad, s.at(n)+" makes route.Options that world.RouteOptions does not fill")
			}
		}
	}
	return bad
}
