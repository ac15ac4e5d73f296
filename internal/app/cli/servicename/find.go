package servicename

import (
	"strings"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/settings"
	"stoa.dev/stoa/internal/platform/module"
)

// All are the names of the services, in the order of pages and commands.
func All() []string {
	var names []string
	for _, m := range app.Services() {
		names = append(names, m.Name)
	}
	return names
}

// Find is the service of a name. A refusal proposes the nearest and names all.
func Find(name string) (module.Module, error) {
	for _, m := range app.Services() {
		if m.Name == name {
			return m, nil
		}
	}
	names := All()
	next := "there are " + strings.Join(names, ", ")
	if near := settings.Near(name, names); near != "" {
		next = "did you mean " + near + "? " + next
	}
	return module.Module{}, module.Fail(module.NotFound, next, "there is no service %q", name)
}
