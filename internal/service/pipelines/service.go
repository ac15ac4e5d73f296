package pipelines

import (
	"context"
	"path/filepath"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/sandbox"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/pipelines/execute"
)

// Name is the service's one name everywhere.
const Name = "pipelines"

// What tokens may do. A personal token usually carries them all; a project
// token has one.
const (
	// ScopeStatus shows whether branches are green.
	ScopeStatus = "status"
	// ScopeRead shows jobs, their output and artifacts.
	ScopeRead = "view-builds"
	// ScopeAll does everything that the person behind the token may do.
	ScopeAll = "all"
)

// executor runs one node of a job; execute.Executor is the one there is.
type executor interface {
	Open(ctx context.Context) error
	Run(ctx context.Context, t execute.Task, h execute.Host, r execute.Reporter) (execute.Outcome, error)
	Close() error
}

// Service keeps projects and runs their jobs.
type Service struct {
	world    *world.World
	identity *identity.Identity
	forge    *forge.Forge
	config   Config
	words    words
	sandbox  *sandbox.Sandbox
	engine   executor
	queue    *queue
	kept     *keptForms
	sources  *keptSources
	pages    pages
	// downloads are places for answers that last as long as their reader likes.
	downloads *budget.Pool
	// pace measures what happens on the machine, whatever the world's clock does.
	pace clock.Clock
}

// Artifacts and logs that are sent at once: a quarter of them to one owner, half
// to callers without a token.
const (
	downloads    = 128
	downloadWait = 5 * time.Second
)

// New builds the service and makes it an observer of the forge. It touches no
// store and starts nothing.
func New(w *world.World, identity *identity.Identity, repositories *forge.Forge, c Config) *Service {
	s := &Service{
		world: w, identity: identity, forge: repositories, config: c, words: newWords(w.Dialect), pace: clock.Real(),
		sandbox: sandbox.New(c.confinement(), clock.Real()), kept: newKeptForms(maxKeptForms), sources: newKeptSources(), pages: newPages(),
	}
	s.downloads = budget.New(budget.Options{
		Name: "pipelines.downloads", Total: downloads, PerOwner: downloads / 4, Anonymous: downloads / 2, Wait: downloadWait,
	})
	s.engine = execute.New(s.sandbox, filepath.Join(w.Dir, "work"), s.pace, c.Limits)
	s.queue = newQueue(s)
	repositories.Observe(s.observe)
	repositories.Bind(func(ctx context.Context, tokenID int64) (int64, error) { return tokenProject(ctx, w.DB, tokenID) })
	return s
}

// Module describes the service to the roof.
func (s *Service) Module() module.Module {
	routes := s.routes()
	return module.Module{
		Name:       Name,
		Title:      "Pipelines",
		Letter:     "G",
		Prefixes:   s.prefixes(),
		Handler:    s.handler(route.New(s.muxOptions(), routes), route.New(s.pageOptions(), s.pageRoutes())),
		Routes:     routes,
		Migrations: migrations(),
		Jobs:       s.jobs(),
		Start:      s.start,
		Work:       s.work,
		Close:      s.queue.close,
		Scopes: []module.Scope{
			{Name: ScopeStatus, Words: "see whether your projects are green"},
			{Name: ScopeRead, Words: "see your jobs, what they print and what they keep"},
			{Name: ScopeAll, Words: "run and change everything of your projects"},
		},
		Demo: s.demo,
		Example: module.Example{
			Credential: "STOA_PIPELINE_TOKEN",
			Shell:      `curl -H "Pipeline-Token: $STOA_PIPELINE_TOKEN" "$STOA_URL/api/v1.1/project/vcs_a/$STOA_REPO?limit=1"`,
		},
	}
}

// start takes up what an earlier process left and begins to run jobs.
func (s *Service) start(ctx context.Context) error {
	if err := s.schedule(ctx); err != nil {
		return err
	}
	return s.queue.start(ctx, s.config.Concurrency)
}

// work is start for a process that serves nobody: at least one job at a time.
func (s *Service) work(ctx context.Context) error {
	return s.queue.start(ctx, max(1, s.config.Concurrency))
}

func (s *Service) now() time.Time { return s.world.Clock.Now().UTC().Truncate(time.Microsecond) }

// lane is the key under which the jobs of one project change, one after the
// other.
func lane(repoID int64) string { return "pipelines/project/" + strconv.FormatInt(repoID, 10) }

// change runs a change to the jobs of a project.
func (s *Service) change(ctx context.Context, repoID int64, fn func(ctx context.Context, tx *database.Tx) error) error {
	return s.world.DB.WriteKeyed(ctx, lane(repoID), fn)
}
