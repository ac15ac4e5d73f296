package faultrule

import (
	"cmp"
	"maps"
	"slices"

	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/spelling"
)

// Catalogue is what rules can name: services, their operations and their faults.
type Catalogue struct {
	services []*entry // in the order of the contract's letters
	byName   map[string]*entry
	// jobKinds are the kinds of background jobs; none means that they are not known.
	jobKinds []string
}

// entry is one service.
type entry struct {
	name       string
	operations map[string]bool
	faults     []module.Fault
	byName     map[string]*module.Fault
	// remote services have procedures and no operations over HTTP.
	remote bool
}

// NewCatalogue lists the faults of modules, and those that every service has.
func NewCatalogue(modules []module.Module, kinds ...jobs.Registration) *Catalogue {
	c := &Catalogue{byName: map[string]*entry{}}
	for _, k := range kinds {
		c.jobKinds = append(c.jobKinds, k.Name)
	}
	for _, m := range modules {
		e := &entry{
			name: m.Name, operations: map[string]bool{}, byName: map[string]*module.Fault{},
			remote: len(m.Routes) == 0 && m.RegisterRPC != nil,
		}
		for _, r := range m.Routes {
			e.operations[r.Name] = true
		}
		if e.remote {
			e.operations = procedures(m)
		}
		e.faults = slices.Clone(m.Faults)
		for _, f := range commonFaults(m.Name, m.Routes, e.remote) {
			if !slices.ContainsFunc(m.Faults, func(own module.Fault) bool { return own.Name == f.Name }) {
				e.faults = append(e.faults, f)
			}
		}
		for i := range e.faults {
			e.byName[e.faults[i].Name] = &e.faults[i]
		}
		c.services = append(c.services, e)
		c.byName[m.Name] = e
	}
	return c
}

// Services are the names of the services.
func (c *Catalogue) Services() []string {
	var names []string
	for _, e := range c.services {
		names = append(names, e.name)
	}
	return names
}

// Faults are those of a service, its own first.
func (c *Catalogue) Faults(service string) []module.Fault {
	if e := c.byName[service]; e != nil {
		return slices.Clone(e.faults)
	}
	return nil
}

// find is a fault of a service that an operation can meet.
func (c *Catalogue) find(service, operation, name string) *module.Fault {
	e := c.byName[service]
	if e == nil {
		return nil
	}
	f := e.byName[name]
	if f == nil || len(f.Operations) > 0 && !slices.Contains(f.Operations, operation) {
		return nil
	}
	return f
}

func (c *Catalogue) has(service string) bool { return c.byName[service] != nil }

func (c *Catalogue) remote(service string) bool {
	e := c.byName[service]
	return e != nil && e.remote
}

func (c *Catalogue) hasOperation(service, operation string) bool {
	return slices.ContainsFunc(c.services, func(e *entry) bool {
		return (service == "" || e.name == service) && e.operations[operation]
	})
}

// near is a hint for a misspelt operation.
func (c *Catalogue) near(service, operation string) string {
	var names []string
	for _, e := range c.services {
		if service == "" || e.name == service {
			names = slices.AppendSeq(names, maps.Keys(e.operations))
		}
	}
	return cmp.Or(spelling.Meant(operation, names), "stoa fault catalog lists what can fail")
}

// nearFault is a hint for a misspelt failure.
func (c *Catalogue) nearFault(service, fault string) string {
	var names []string
	for _, e := range c.services {
		if service == "" || e.name == service {
			names = slices.AppendSeq(names, maps.Keys(e.byName))
		}
	}
	return spelling.Meant(fault, names)
}

// NearService is a hint for a misspelt service; empty where none is near.
func (c *Catalogue) NearService(name string) string { return spelling.Meant(name, c.Services()) }
