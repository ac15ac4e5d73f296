package test_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
)

func nameRules() []rule {
	return []rule{
		{
			name: "no layer knows a service by name", check: serviceNames,
			why: "what services differ in is a field of module.Module; app/services.go and config.go are the only lists",
			bad: map[string]string{
				"internal/service/tasks/doc.go": "// Package tasks keeps lists.\npackage tasks\n",
				"internal/identity/formats.go": "package identity\n\nfunc format(service string) bool { return service == " +
					"\"tasks\" }\n",
			},
		},
		{
			name: "file names say what is inside", check: fileNames,
			why: "a reader finds a file by its path: name the mechanism or the noun, not that there is one",
			bad: map[string]string{"internal/identity/helpers.go": "package identity\n"},
		},
		{
			name: "a service's files keep to their roles", check: fileContents,
			why: "service.go is the struct, New and Module; handlers are in *_http.go, the envelope in errors_http.go, and " +
				"beside nouns with a role no file has the role alone: it would be the rest",
			bad: map[string]string{
				"internal/service/tasks/doc.go":  "// Package tasks keeps lists.\npackage tasks\n",
				"internal/service/tasks/wire.go": "package tasks\n\nfunc writeError() {}\n",
			},
		},
	}
}

// maxServiceLines bounds service.go.
const maxServiceLines = 150

func fileContents(h *repository) []string {
	var bad []string
	for _, p := range h.services() {
		bad = append(bad, misplaced(p)...)
	}
	return bad
}

// misplaced finds what is not in the file that its role says.
func misplaced(p folder) []string {
	var bad []string
	for _, s := range p.Files {
		if s.Test {
			continue
		}
		if s.Name == "service.go" && s.lines() > maxServiceLines {
			bad = append(bad, fmt.Sprintf("%s has %d lines, at most %d", s.Path, s.lines(), maxServiceLines))
		}
		if role := strings.TrimSuffix(s.Name, ".go"); p.nouns(role) > 1 {
			bad = append(bad, fmt.Sprintf("%s: name the noun, %d files of the role have one", s.Path, p.nouns(role)))
		}
		for _, d := range s.AST.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			name := f.Name.Name
			if name == "writeError" && s.Name != "errors_http.go" {
				bad = append(bad, s.at(f)+": the envelope is in errors_http.go")
			}
			if strings.HasPrefix(name, "handle") && s.Name != "routes.go" && !strings.HasSuffix(s.Name, "http.go") {
				bad = append(bad, fmt.Sprintf("%s: %s is a handler", s.at(f), name))
			}
		}
	}
	return bad
}

// nouns counts the files of a role that name a noun.
func (f folder) nouns(role string) (n int) {
	if !slices.Contains([]string{"http", "wire", "store"}, role) {
		return 0
	}
	for _, s := range f.Files {
		if !s.Test && strings.HasSuffix(s.Name, "_"+role+".go") && s.Name != "errors_http.go" {
			n++
		}
	}
	return n
}

// emptyNames are file names that fit anything: words for a rest, and verbs without
// what they are done to.
func emptyNames() []string {
	return append(forbiddenNames(),
		"absent", "extra", "general", "internal", "more", "other", "others", "related", "rest", "stuff", "things", "various",
		"accept", "admit", "apply", "collect", "convert", "do", "handle", "inspect", "manage", "perform", "prepare")
}

// fileNames finds product files with a name that fits anything. types.go is of the
// agreed anatomy.
func fileNames(h *repository) []string {
	var bad []string
	for _, s := range h.product() {
		name := strings.TrimSuffix(s.Name, ".go")
		if !outside(s.Dir) && name != "types" && slices.Contains(emptyNames(), name) {
			bad = append(bad, fmt.Sprintf("%s: %q does not say what is inside", s.Path, s.Name))
		}
	}
	return bad
}

// otherMeanings are the names of services that mean something else in a file.
func otherMeanings() map[string]string {
	return map[string]string{
		"internal/console/routes.go":                  "device", // the page at /device
		"internal/identity/clients.go":                "device", // the type of client that RFC 8628 is for
		"internal/identity/grants/grant.go":           "device", // the kind of grant that RFC 8628 is for
		"internal/platform/telemetry/mask_secrets.go": "device", // the first word of device_code
	}
}

// serviceNames finds string literals that equal the name of a service in packages
// that are not services.
func serviceNames(h *repository) []string {
	var names []string
	for _, p := range h.services() {
		names = append(names, path.Base(p.Dir))
	}
	var bad []string
	for _, s := range h.product() {
		listed := s.Path == "internal/app/services.go" || s.Path == "internal/app/config.go"
		if !under(s.Dir, "internal") || under(s.Dir, "internal/service") || listed {
			continue
		}
		ast.Inspect(s.AST, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(literal.Value)
			if err == nil && slices.Contains(names, text) && otherMeanings()[s.Path] != text {
				bad = append(bad, fmt.Sprintf("%s names the service %q", s.at(literal), text))
			}
			return true
		})
	}
	return bad
}
