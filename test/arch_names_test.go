package test_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strconv"
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
	}
}

// otherMeanings are the names of services that mean something else in a file.
func otherMeanings() map[string]string {
	return map[string]string{
		"internal/console/routes.go":            "device", // the page at /device
		"internal/identity/clients.go":          "device", // the type of client that RFC 8628 is for
		"internal/identity/grants/grant.go":     "device", // the kind of grant that RFC 8628 is for
		"internal/platform/telemetry/redact.go": "device", // the first word of device_code
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
