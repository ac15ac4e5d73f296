package app

import (
	"slices"

	"stoa.dev/stoa/internal/app/backup"
	"stoa.dev/stoa/internal/console"
	"stoa.dev/stoa/internal/console/manual"
	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/platform/conduct"
	"stoa.dev/stoa/internal/platform/faultrule"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
)

// Commands describes every command of identity and the services.
func Commands() []module.Command {
	return append(commands(blueprint()), backup.Command(backup.Source{}))
}

// CommandGroups describes the first words of the services' commands.
func CommandGroups() []module.CommandGroup {
	_, _, modules := blueprint()
	var list []module.CommandGroup
	for _, m := range modules {
		list = append(list, m.CommandGroups...)
	}
	return list
}

// Services describes every service, without a store: what has a letter of the
// contract.
func Services() []module.Module {
	_, _, modules := blueprint()
	return lettered(modules)
}

// FaultCatalogue lists what rules of the lab can name.
func FaultCatalogue() *faultrule.Catalogue {
	_, _, modules := blueprint()
	return faultrule.NewCatalogue(modules, JobKinds()...)
}

// JobKinds are all kinds of background work.
func JobKinds() []jobs.Registration {
	w, identity, modules := blueprint()
	list := slices.Concat(world.JobKinds(), identity.Jobs(), grants.New(w, identity).Jobs())
	for _, m := range modules {
		list = append(list, m.Jobs...)
	}
	return list
}

// ConductRules are what services ask of their clients: the common rules first.
func ConductRules() []conduct.Stated {
	_, _, modules := blueprint()
	var list []conduct.Stated
	for _, rule := range conduct.Common() {
		list = append(list, conduct.Stated{Rule: rule, Service: conduct.Everywhere})
	}
	for _, m := range modules {
		for _, rule := range m.Conduct {
			list = append(list, conduct.Stated{Rule: rule, Service: m.Name})
		}
	}
	return list
}

// Tables describes everything that answers requests, without a store: the
// services, the repositories, the console, the documentation, pages of services, and what
// the API family has in common.
func Tables() []module.Module {
	w, identity, modules := blueprint()
	pages := console.New(w, identity, grants.New(w, identity), console.DefaultConfig(), lettered(modules))
	all := append(slices.Clone(modules), pages.Module(), manual.New(w, lettered(modules), pages.Style()).Module())
	for _, m := range modules {
		if len(m.UnownedRoutes) > 0 {
			all = append(all, module.Module{Name: m.Name + "_pages", Routes: m.UnownedRoutes})
		}
	}
	return append(all, familyModules(w, modules, identity)...)
}

// blueprint builds everything on a world without a store.
func blueprint() (*world.World, *identity.Identity, []module.Module) {
	w := world.Blueprint(world.Options{})
	identity := identity.New(identity.Options{Clock: w.Clock, IDs: w.IDs, Dialect: w.Dialect})
	c := DefaultConfig()
	return w, identity, services(w, identity, grants.New(w, identity), forge.New(w, identity, c.Forge), c)
}

func lettered(modules []module.Module) []module.Module {
	return slices.DeleteFunc(slices.Clone(modules), func(m module.Module) bool { return m.Letter == "" })
}
