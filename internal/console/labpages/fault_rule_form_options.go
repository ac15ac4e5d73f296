package labpages

import (
	"cmp"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/platform/jobs"
)

// operation is what a rule may be about, with the service that has it.
type operation struct{ Service, Name string }

// choices are failures of one service that a rule may name.
type choices struct {
	Service  string
	Failures []catalogued
}

// operationsOf are the operations that failures name, and the kinds of jobs.
func operationsOf(catalog []catalogued, kinds []jobs.Registration) []operation {
	var list []operation
	for _, f := range catalog {
		for _, name := range f.Operations {
			list = append(list, operation{f.Service, name})
		}
	}
	for _, k := range kinds {
		list = append(list, operation{"jobs", k.Name})
	}
	slices.SortFunc(list, func(a, b operation) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Service, b.Service))
	})
	return slices.Compact(list)
}

// choicesOf are the services, and the failures of those that the rule is about: all where neither a service nor an
// operation is chosen. The script of the page narrows them the same way.
func choicesOf(
	catalog []catalogued, operations []operation, service, name string,
) (services []string, groups []choices) {
	for _, f := range catalog {
		if f.Service == "" {
			continue // it is that of every service
		}
		if !slices.Contains(services, f.Service) {
			services = append(services, f.Service)
			groups = append(groups, choices{Service: f.Service})
		}
		if f.about(operations, service, name) {
			at := slices.Index(services, f.Service)
			groups[at].Failures = append(groups[at].Failures, f)
		}
	}
	return services, slices.DeleteFunc(groups, func(c choices) bool { return len(c.Failures) == 0 })
}

// about reports whether a failure may happen to the operation of the service; empty is any. One without operations
// happens to all of its service.
func (f catalogued) about(operations []operation, service, name string) bool {
	switch {
	case service != "" && f.Service != service:
		return false
	case name == "":
		return true
	case len(f.Operations) > 0:
		return slices.Contains(f.Operations, name)
	}
	return service != "" || slices.Contains(operations, operation{f.Service, name})
}

// Of are the operations as one attribute has them.
func (f catalogued) Of() string { return strings.Join(f.Operations, " ") }
