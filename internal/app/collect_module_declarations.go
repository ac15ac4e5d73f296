package app

import (
	"slices"

	"stoa.dev/stoa/internal/app/backup"
	"stoa.dev/stoa/internal/app/integrity"
	"stoa.dev/stoa/internal/app/profile"
	"stoa.dev/stoa/internal/console"
	"stoa.dev/stoa/internal/console/manual"
	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	operator "stoa.dev/stoa/internal/identity/commands"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/identity/removal"
	"stoa.dev/stoa/internal/identity/signing"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/conduct"
	"stoa.dev/stoa/internal/platform/faultrule"
	"stoa.dev/stoa/internal/platform/jobs"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
	worldcommands "stoa.dev/stoa/internal/platform/world/commands"
)

// Commands describes every command of identity and the services.
func Commands() []module.Command {
	return append(commands(blueprint()), backup.Command(backup.Source{}))
}

// CommandGroups describes the first words of the services' commands.
func CommandGroups() []module.CommandGroup {
	var list []module.CommandGroup
	for _, m := range blueprint().modules {
		list = append(list, m.CommandGroups...)
	}
	return list
}

// Services describes every service, without a store: what has a letter of the
// contract.
func Services() []module.Module {
	return lettered(blueprint().modules)
}

// FaultCatalogue lists what rules of the lab can name.
func FaultCatalogue() *faultrule.Catalogue {
	return faultrule.NewCatalogue(blueprint().modules, JobKinds()...)
}

// JobKinds are all kinds of background work.
func JobKinds() []jobs.Registration {
	p := blueprint()
	list := slices.Concat(world.JobKinds(), p.identity.Jobs(), p.grants.Jobs())
	for _, m := range p.modules {
		list = append(list, m.Jobs...)
	}
	return list
}

// ConductRules are what services ask of their clients: the common rules first.
func ConductRules() []conduct.Stated {
	var list []conduct.Stated
	for _, rule := range conduct.Common() {
		list = append(list, conduct.Stated{Rule: rule, Service: conduct.Everywhere})
	}
	for _, m := range blueprint().modules {
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
	p := blueprint()
	pages := console.New(p.world, p.identity, p.grants, console.DefaultConfig(), lettered(p.modules))
	texts := manual.New(p.world, lettered(p.modules), pages.Style())
	all := append(slices.Clone(p.modules), pages.Module(), texts.Module())
	for _, m := range p.modules {
		if len(m.UnownedRoutes) > 0 {
			all = append(all, module.Module{Name: m.Name + "_pages", Routes: m.UnownedRoutes})
		}
	}
	return append(all, familyModules(p.world, p.modules, p.identity)...)
}

// signingKeys are what stoa check looks at in identity.
func signingKeys() module.Module {
	return module.Module{Name: "identity", Sealed: []module.SealedRows{signing.SealedRows()}}
}

func commands(p parts) []module.Command {
	owned := console.Owned()
	for _, m := range p.modules {
		owned = append(owned, m.Owned...)
	}
	remover := removal.New(p.identity, p.world.DB, owned)
	list := append(operator.All(p.identity, p.grants, remover), worldcommands.All(p.world)...)
	list = append(list, integrity.Command(p.world, append([]module.Module{signingKeys()}, p.modules...)),
		profile.Command(clock.Real()))
	for _, m := range p.modules {
		list = append(list, m.Commands...)
	}
	return append(list, seedCommands(p.identity, p.modules)...)
}

// parts are what everything is declared by.
type parts struct {
	world    *world.World
	identity *identity.Identity
	grants   *grants.Grants
	modules  []module.Module
}

// blueprint builds everything on a world without a store.
func blueprint() parts {
	w, c := world.Blueprint(world.Options{}), DefaultConfig()
	identity := identity.New(identity.Options{Clock: w.Clock, IDs: w.IDs, Dialect: w.Dialect})
	grants := grants.New(w, identity)
	return parts{w, identity, grants, services(w, identity, grants, forge.New(w, identity, c.Forge), c)}
}

func lettered(modules []module.Module) []module.Module {
	return slices.DeleteFunc(slices.Clone(modules), func(m module.Module) bool { return m.Letter == "" })
}
