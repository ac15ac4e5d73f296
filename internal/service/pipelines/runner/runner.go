package runner

import (
	"context"
	"log/slog"
	"path/filepath"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/ids"
	"stoa.dev/stoa/internal/platform/sandbox"
	"stoa.dev/stoa/internal/platform/world"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/execute"
	"stoa.dev/stoa/internal/service/pipelines/kubernetes"
	"stoa.dev/stoa/internal/service/pipelines/project"
)

// Engine runs one node of a job; execute.Executor is the one there is.
type Engine interface {
	Open(ctx context.Context) error
	Run(ctx context.Context, t execute.Task, h execute.Host, r execute.Reporter) (execute.Outcome, error)
	Close() error
}

// Secrets are what a project gives its jobs.
type Secrets interface {
	Environment(ctx context.Context, repoID int64) (map[string]string, error)
	PrivateKeys(ctx context.Context, repoID int64) ([]project.PrivateKey, error)
}

// Options are what a Runner is built on.
type Options struct {
	World   *world.World
	Forge   *forge.Forge
	Secrets Secrets
	Config  Config
	// Service is the name in the log.
	Service string
	// VariablePrefix begins the names of built-in variables, Mark is the one that says whose job it is, Agents are
	// the programs by which a step ends its job.
	VariablePrefix, Mark string
	Agents               []string
	// BuildURL is the address of a job's page.
	BuildURL func(r forge.Repository, num int64) string
	// GitURL is where git clones a repository.
	GitURL func(r forge.Repository) string
	// Continued is called in the transaction in which a setup job hands on another configuration.
	Continued func(ctx context.Context, tx *database.Tx, b *build.Build, config, parameters []byte) error
	// Ended is called in the transaction in which a job ends.
	Ended func(ctx context.Context, tx *database.Tx, b *build.Build)
	// Engine is execute's unless it is set.
	Engine Engine
}

// Runner runs jobs in this process.
type Runner struct {
	o      Options
	world  *world.World
	config Config
	engine Engine
	log    *slog.Logger
	// machine is the clock of what happens on the machine, whatever the world's clock does.
	machine clock.Clock
	sandbox *sandbox.Sandbox
	queue   *queue
	// cluster runs jobs, unless it is nil; unusable is why it could not be made.
	cluster  *kubernetes.Cluster
	unusable error
}

// New makes a runner. It starts nothing.
func New(o Options) *Runner {
	r := &Runner{
		o: o, world: o.World, config: o.Config, engine: o.Engine,
		log: o.World.Telemetry.Log.With("service", o.Service), machine: clock.Real(),
	}
	r.sandbox = sandbox.New(o.Config.confinement(), r.machine)
	if r.engine == nil {
		r.engine = r.newEngine(filepath.Join(o.World.Dir, "work"))
	}
	r.queue = newQueue(r)
	return r
}

// newEngine makes what runs the nodes of jobs.
func (r *Runner) newEngine(dir string) Engine {
	limits := r.config.Limits
	if !r.config.UsesImages() {
		return execute.New(r.sandbox, dir, r.machine, limits)
	}
	r.cluster, r.unusable = kubernetes.New(kubernetes.Options{
		Config: r.config.Kubernetes, Timeout: limits.Timeout, Gate: r.world.Outbound, Clock: r.machine,
		IDs: ids.Random(), // worlds of one seed may share a cluster
	})
	return execute.NewRemote(r.cluster, r.sandbox, dir, r.machine, limits)
}

// Start takes up what an earlier process left and begins to run jobs, so many nodes at once.
func (r *Runner) Start(ctx context.Context, capacity int) error {
	if r.unusable != nil && capacity > 0 {
		return r.unusable
	}
	return r.queue.start(ctx, capacity)
}

// Close ends all runs of this process and waits for them.
func (r *Runner) Close() error { return r.queue.close() }

// Watch gives a channel that hears of changes to a job, and how to end it.
func (r *Runner) Watch(id int64) (heard <-chan struct{}, end func()) { return r.queue.watch(id) }

func (r *Runner) now() time.Time { return r.world.Clock.Now().UTC().Truncate(time.Microsecond) }

// change runs a change to the jobs of a project.
func (r *Runner) change(ctx context.Context, repoID int64, fn func(context.Context, *database.Tx) error) error {
	return r.world.DB.WriteKeyed(ctx, project.Lane(repoID), fn)
}

// Announce wakes workers and readers that wait for a job's change, once it is durable.
func (r *Runner) Announce(tx *database.Tx, b *build.Build) {
	id, queued := b.ID, b.State.Lifecycle == build.Queued
	tx.OnCommit(func() {
		if queued {
			r.queue.wake()
		}
		r.queue.changed(id)
	})
}
