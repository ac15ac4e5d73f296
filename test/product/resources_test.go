package product_test

import (
	"testing"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/console/administration"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/resource"
	"stoa.dev/stoa/internal/platform/resource/resourcetest"
)

// TestResourcesFitTogether asks that every service has something to show in the
// console, and that every operation, command and parameter that a resource names is
// there.
func TestResourcesFitTogether(t *testing.T) {
	t.Parallel()
	commands := map[string]module.Command{}
	for _, c := range app.Commands() {
		commands[c.Path] = c
	}
	for _, m := range append(app.Services(), administration.Module()) {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			if len(m.Resources) == 0 {
				t.Error("the console has nothing to show of it")
			}
			patterns := map[string]string{}
			for _, r := range m.Routes {
				if _, taken := patterns[r.Name]; !taken {
					patterns[r.Name] = r.Pattern
				}
			}
			called := func(c resource.Call) ([]string, bool) {
				if c.Command != "" {
					command, ok := commands[c.Command]
					return nil, ok && command.Run != nil
				}
				pattern, ok := patterns[c.Operation]
				return resource.Parameters(pattern), ok
			}
			if err := resourcetest.Check(m.Resources, called); err != nil {
				t.Error(err)
			}
			for _, r := range m.Resources {
				for _, c := range append([]resource.Call{r.List, r.Get}, calls(r)...) {
					if c.Command != "" && !r.Admin {
						t.Errorf("%s runs the command %q and is not for administrators alone", r.Name, c.Command)
					}
				}
			}
		})
	}
}

func calls(r resource.Resource) (list []resource.Call) {
	for _, a := range r.Actions {
		list = append(list, a.Call)
	}
	return list
}
