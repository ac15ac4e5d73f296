package app

import (
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/apikeys"
	"stoa.dev/stoa/internal/service/labels"
)

// services is the table of contents, in the order of the contract's letters.
func services(w *world.World, people *identity.Identity, c Config) []module.Module {
	return []module.Module{
		labels.New(w, people, c.Labels).Module(),
		apikeys.New(w, people, c.APIKeys).Module(),
	}
}
