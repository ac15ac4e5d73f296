package app

import (
	"os"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
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
func services(w *world.World, people *identity.Identity, repositories *forge.Forge, c Config) []module.Module {
	return []module.Module{
		repositories.Module(),
		kms.New(w, people, c.KMS).Module(),
		packages.New(w, people, c.Packages, os.Getenv).Module(),
		tasks.New(w, people, c.Tasks).Module(),
		labels.New(w, people, c.Labels).Module(),
		snapshots.New(w, people, c.Snapshots).Module(),
		articles.New(w, people, c.Articles).Module(),
		pipelines.New(w, people, repositories, c.Pipelines).Module(),
		calendar.New(w, people, c.Calendar).Module(),
		events.New(w, people, repositories, c.Events).Module(),
		device.New(w, people, c.Device).Module(),
		analytics.New(w, people, c.Analytics).Module(),
		apikeys.New(w, people, c.APIKeys).Module(),
		generate.New(w, people, c.Generate, os.Getenv).Module(),
	}
}
