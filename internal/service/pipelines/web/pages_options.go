package web

import (
	"context"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/pipelines/project"
	"stoa.dev/stoa/internal/service/pipelines/refusal"
	"stoa.dev/stoa/internal/service/pipelines/vcs"
)

// Projects finds what a caller may see.
type Projects interface {
	Find(ctx context.Context, c *identity.Caller, owner, name string, need project.Right) (forge.Repository, error)
	Following(ctx context.Context, c *identity.Caller) ([]forge.Repository, error)
}

// Options are what pages are built on.
type Options struct {
	World    *world.World
	Identity *identity.Identity
	Projects Projects
	Names    *vcs.Names
	// Service is the name of the service, TokenQueries are the query parameters that hold a token.
	Service      string
	TokenQueries []string
	// Watch gives a channel that hears of changes to a job, and how to end it.
	Watch func(buildID int64) (heard <-chan struct{}, end func())
}

// Pages serves pages.
type Pages struct {
	Options
	*Downloads
	templates templates
	streams   streams
	// machine is the clock of what happens on the machine, whatever the world's clock does.
	machine clock.Clock
}

// New parses the templates.
func New(o Options) *Pages {
	return &Pages{
		Options: o, Downloads: newDownloads(o.World), templates: parsedTemplates(),
		streams: streams{perAddress: map[string]int{}}, machine: clock.Real(),
	}
}

func errNotFound(format string, args ...any) error {
	return refusal.New(refusal.NotFound, format, args...)
}
