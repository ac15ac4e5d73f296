package commands

import (
	"slices"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/module"
)

// checkKind refuses a credential that a service would not take, and names what to issue
// instead. A service that takes one kind of token takes all.
func (c commands) checkKind(in *module.Input, kind identity.Kind, services ...string) error {
	if in.Bool("any-kind") {
		return nil
	}
	for _, service := range services {
		if !slices.Contains(c.identity.Services(), service) {
			continue // which issuing says
		}
		taken := c.identity.IssuedKinds(service)
		asked := kind
		if !identity.IsKey(kind) {
			asked = identity.KindPersonal
		}
		if slices.Contains(taken, asked) {
			continue
		}
		next := "it takes no credential of its own"
		if len(taken) > 0 {
			var lines []string
			for _, k := range taken {
				lines = append(lines, issueLine(k, service))
			}
			next = "issue another: " + strings.Join(lines, ", ")
		}
		return module.Fail(module.Usage, next, "%s takes no credential of kind %s", service, kind)
	}
	return nil
}

func issueLine(kind identity.Kind, service string) string {
	if !identity.IsKey(kind) {
		return "stoa token issue --service " + service
	}
	return "stoa key issue --service " + service + " --kind " + string(kind)
}
