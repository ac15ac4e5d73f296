package pipelines

import (
	"context"
	"embed"
	"slices"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/memo"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/pipelines/conductrules"
	"stoa.dev/stoa/internal/service/pipelines/consoleresources"
	"stoa.dev/stoa/internal/service/pipelines/ownedrows"
	"stoa.dev/stoa/internal/service/pipelines/project"
	"stoa.dev/stoa/internal/service/pipelines/runner"
	"stoa.dev/stoa/internal/service/pipelines/vcs"
	"stoa.dev/stoa/internal/service/pipelines/web"
)

// Name is at once the configuration key, the table prefix and the name of the service in tokens and logs.
const Name = "pipelines"

//go:embed migrations/*.sql
var migrationFiles embed.FS

// Service makes the jobs of projects and answers for them.
type Service struct {
	world     *world.World
	identity  *identity.Identity
	forge     *forge.Forge
	config    Config
	words     words
	names     *vcs.Names
	projects  *project.Projects
	runner    *runner.Runner
	web       *web.Pages
	summaries *summaryCache
	sources   *memo.Cache[sourceKey, source]
}

// New builds the service and makes it an observer of the forge. It touches no store and starts nothing.
func New(w *world.World, identity *identity.Identity, repositories *forge.Forge, c Config) *Service {
	return newService(w, identity, repositories, c, nil)
}

// newService is New with an engine other than the one that runs programs.
func newService(
	w *world.World, identity *identity.Identity, repositories *forge.Forge, c Config, engine runner.Engine,
) *Service {
	s := &Service{
		world: w, identity: identity, forge: repositories, config: c, words: newWords(w.Dialect),
		names: vcs.New(w.Dialect), projects: project.New(w, identity, repositories, Name),
		summaries: newSummaryCache(), sources: newSourceCache(),
	}
	w.ShowCache("pipelines.summaries", s.summaries.Stats)
	w.ShowCache("pipelines.sources", s.sources.Stats)
	s.runner = s.newRunner(engine)
	s.web = web.New(web.Options{
		World: w, Identity: identity, Projects: s.projects, Names: s.names, Service: Name,
		TokenQueries: s.words.tokenQueries, Watch: s.runner.Watch,
	})
	// What a job prints shows the code that it ran; whether it passed does not.
	repositories.AcceptTokens(forge.ServiceTokens{
		Service: Name, Read: []string{project.ScopeRead, project.ScopeAll}, PersonalWrite: []string{project.ScopeAll},
	})
	repositories.Observe(s.observe)
	return s
}

func (s *Service) newRunner(engine runner.Engine) *runner.Runner {
	d := s.world.Dialect
	return runner.New(runner.Options{
		World: s.world, Forge: s.forge, Secrets: s.projects, Config: s.config.Config, Service: Name, Engine: engine,
		VariablePrefix: d.Says(dialect.JobEnvironment), Mark: d.Says(dialect.JobEnvironmentMark),
		Agents: d.Accepts(dialect.AgentProgram), Ended: s.notify, Continued: s.continuation,
		GitURL: func(r forge.Repository) string { return vcs.GitURL(s.world.URL(context.Background()), r) },
		BuildURL: func(r forge.Repository, num int64) string {
			return s.buildURL(s.world.URL(context.Background()), r, vcs.A, num)
		},
	})
}

// Module describes the service to the server.
func (s *Service) Module() module.Module {
	routes := s.routes()
	return module.Module{
		Resources: consoleresources.All(s.names.PageRoot(vcs.A)), Owned: ownedrows.All(),
		Name:       Name,
		Blobs:      runner.BlobRows(),
		Sealed:     project.SealedRows(Name),
		Title:      "Pipelines",
		Letter:     "G",
		Prefixes:   slices.Concat([]string{base, feedPath}, olderPaths(), s.names.PagePrefixes()),
		Handler:    s.handler(route.New(s.muxOptions(), routes)),
		Conduct:    conductrules.Rules(),
		Faults:     s.faultDefinitions(),
		Routes:     routes,
		Migrations: database.Embedded(Name, migrationFiles),
		Jobs:       s.jobs(),
		Start:      s.start,
		Work:       s.work,
		Settle:     s.runner.Settle,
		Busy:       s.runner.Busy,
		Close:      s.runner.Close,
		Scopes: []module.Scope{
			{Name: project.ScopeStatus, Description: "see whether your projects are green"},
			{Name: project.ScopeRead, Description: "see your jobs, what they print and what they keep"},
			{Name: project.ScopeAll, Description: "run and change everything of your projects"},
		},
		Demo:            s.demo,
		TokenFormat:     func(identity.Kind) identity.Format { return identity.Hex40() },
		DemoCredentials: []module.DemoCredential{{Variable: "STOA_PIPELINE_TOKEN", Kind: identity.KindPersonal}},
		Example: module.Example{
			Credential: "STOA_PIPELINE_TOKEN",
			Shell: `curl -H "Pipeline-Token: $STOA_PIPELINE_TOKEN" ` +
				`"$STOA_URL/api/v1.1/project/vcs_a/$STOA_REPO?limit=1"`,
		},
	}
}

// start takes up what an earlier process left and begins to run jobs.
func (s *Service) start(ctx context.Context) error {
	if err := s.schedule(ctx); err != nil {
		return err
	}
	return s.runner.Start(ctx, s.config.Concurrency)
}

// work is start for a process that only runs jobs: at least one at a time.
func (s *Service) work(ctx context.Context) error {
	return s.runner.Start(ctx, max(1, s.config.Concurrency))
}

func (s *Service) now() time.Time { return s.world.Clock.Now().UTC().Truncate(time.Microsecond) }

// change runs a change to the jobs of a project, one after the other.
func (s *Service) change(ctx context.Context, repoID int64, fn func(context.Context, *database.Tx) error) error {
	return s.world.DB.WriteKeyed(ctx, project.Lane(repoID), fn)
}
