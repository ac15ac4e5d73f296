package app

import (
	"os"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/analytics"
	"stoa.dev/stoa/internal/service/apikeys"
	"stoa.dev/stoa/internal/service/articles"
	"stoa.dev/stoa/internal/service/calendar"
	"stoa.dev/stoa/internal/service/device"
	"stoa.dev/stoa/internal/service/events"
	"stoa.dev/stoa/internal/service/generate"
	"stoa.dev/stoa/internal/service/kms"
	"stoa.dev/stoa/internal/service/labels"
	"stoa.dev/stoa/internal/service/packages"
	"stoa.dev/stoa/internal/service/pipelines"
	"stoa.dev/stoa/internal/service/snapshots"
	"stoa.dev/stoa/internal/service/tasks"
)

// services is the table of contents, in the order of the contract's letters,
// after the repositories that some of them report on and build from.
func services(
	w *world.World, identity *identity.Identity, grants *grants.Grants, repositories *forge.Forge, c Config,
) []module.Module {
	return []module.Module{
		repositories.Module(),
		kms.New(w, identity, c.KMS).Module(),
		packages.New(w, identity, c.Packages, os.Getenv).Module(),
		tasks.New(w, identity, c.Tasks).Module(),
		labels.New(w, identity, c.Labels).Module(),
		snapshots.New(w, identity, c.Snapshots).Module(),
		articles.New(w, identity, grants, c.Articles).Module(),
		pipelines.New(w, identity, repositories, c.Pipelines).Module(),
		calendar.New(w, identity, c.Calendar).Module(),
		events.New(w, identity, grants, repositories, c.Events).Module(),
		device.New(w, identity, grants, c.Device).Module(),
		analytics.New(w, identity, grants, c.Analytics).Module(),
		apikeys.New(w, identity, c.APIKeys).Module(),
		generate.New(w, identity, c.Generate, os.Getenv).Module(),
	}
}
