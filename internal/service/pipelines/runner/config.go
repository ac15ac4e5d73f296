package runner

import (
	"errors"
	"fmt"
	"time"

	"stoa.dev/stoa/internal/platform/sandbox"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/execute"
	"stoa.dev/stoa/internal/service/pipelines/kubernetes"
)

// Config is what an operator decides about running jobs.
type Config struct {
	// Executor is sandbox, host to run jobs with the rights of the server, or kubernetes to run them in a cluster.
	Executor sandbox.Mode `yaml:"executor"`
	// Concurrency is how many nodes of jobs this process runs at once; zero runs none and leaves them to stoa
	// worker.
	Concurrency int `yaml:"concurrency"`
	// Untried leaves out trying the sandbox at the start, which only logs: a lab
	// starts many worlds on one machine.
	Untried bool `yaml:"-"`
	// Queue shares the workers among those who ask for jobs.
	Queue Queue `yaml:"queue"`
	// Lease is how long a worker that no longer answers keeps its jobs.
	Lease time.Duration `yaml:"lease"`
	// Reruns is how often a job is run again by itself when its worker is lost.
	Reruns int64 `yaml:"reruns"`
	// ArtifactLife, CacheLife and WorkspaceLife are how long these are kept, OutputLife how long what finished jobs
	// have printed is.
	ArtifactLife  time.Duration `yaml:"artifact_life"`
	CacheLife     time.Duration `yaml:"cache_life"`     // CacheLife is how long caches are kept.
	WorkspaceLife time.Duration `yaml:"workspace_life"` // WorkspaceLife is how long workspaces are kept.
	OutputLife    time.Duration `yaml:"output_life"`    // OutputLife is how long the output of finished jobs is kept.
	// JobLife is how long finished jobs are kept, with their steps and test results; the newest 100 of a project stay.
	JobLife time.Duration `yaml:"job_life"`
	// KeptJobs is how many of its newest jobs a project keeps: finished ones before them are deleted whatever their age.
	KeptJobs int64 `yaml:"kept_jobs"`
	// CacheBytes bounds the caches that a project keeps, in bytes: the oldest are deleted for new ones. Artifacts and
	// workspaces beyond their bounds fail their step.
	CacheBytes     int64 `yaml:"cache_bytes"`
	ArtifactBytes  int64 `yaml:"artifact_bytes"`  // The bytes that the artifacts of a project may have.
	WorkspaceBytes int64 `yaml:"workspace_bytes"` // The bytes that the workspaces of a project may have.
	// OwnerBytes bounds what the jobs of one account keep of all three, in all projects, in bytes.
	OwnerBytes int64 `yaml:"owner_bytes"`
	// OutputBytes bounds what a project keeps of what its jobs print, in bytes; what comes on top is not kept, and the
	// output says so.
	OutputBytes int64 `yaml:"output_bytes"`
	// Sandbox confines jobs, Limits bound them.
	Sandbox sandbox.Config `yaml:"sandbox"`
	Limits  execute.Limits `yaml:"limits"`
	// Kubernetes is the cluster of the executor kubernetes.
	Kubernetes kubernetes.Config `yaml:"kubernetes"`
}

// ExecutorKubernetes runs each node of a job in a pod.
const ExecutorKubernetes sandbox.Mode = "kubernetes"

// UsesImages reports whether jobs run in the images that they name.
func (c Config) UsesImages() bool { return c.Executor == ExecutorKubernetes }

// Queue bounds what one owner and one project have of the workers. The owner is the account that asked for a job.
type Queue struct {
	// OwnerPlaces is how many slots of one process an owner may hold; zero leaves a quarter, and at least one, to
	// others.
	OwnerPlaces int `yaml:"owner_places"`
	// OwnerRunning is how many nodes of one owner run at once, in all processes.
	OwnerRunning   int `yaml:"owner_running"`
	ProjectRunning int `yaml:"project_running"` // ProjectRunning is how many nodes of one project run at once.
	// OwnerJobs is how many jobs of one owner may be unfinished: waiting, queued or running.
	OwnerJobs   int64 `yaml:"owner_jobs"`
	ProjectJobs int64 `yaml:"project_jobs"` // ProjectJobs is how many jobs of one project may be unfinished.
}

// ownerSlots is how many of so many slots one owner may hold.
func (q Queue) ownerSlots(total int) int {
	if q.OwnerPlaces > 0 {
		return min(q.OwnerPlaces, total)
	}
	return max(1, total-max(1, total/4))
}

func (q Queue) validate() error {
	if q.OwnerPlaces < 0 || q.OwnerRunning < 1 || q.ProjectRunning < 1 || q.OwnerJobs < 1 || q.ProjectJobs < 1 {
		return errors.New("pipelines.queue: owner_places must not be negative, " +
			"owner_running, project_running, owner_jobs and project_jobs must be above 0")
	}
	return nil
}

const day = 24 * time.Hour

// DefaultConfig confines jobs and runs a few at once.
func DefaultConfig() Config {
	return Config{
		Executor: sandbox.ModeSandbox, Concurrency: 4, Lease: 30 * time.Second, Reruns: 1,
		Queue:        Queue{OwnerRunning: 64, ProjectRunning: 64, OwnerJobs: 4000, ProjectJobs: 2000},
		ArtifactLife: 30 * day, CacheLife: 15 * day, WorkspaceLife: 15 * day, OutputLife: 90 * day,
		JobLife: 400 * day, KeptJobs: 20_000,
		CacheBytes: 20 << 30, ArtifactBytes: 50 << 30, WorkspaceBytes: 50 << 30,
		OwnerBytes: 200 << 30, OutputBytes: 10 << 30,
		Sandbox: sandbox.DefaultConfig(), Limits: execute.DefaultLimits(), Kubernetes: kubernetes.DefaultConfig(),
	}
}

// Validate reports everything that makes no sense, all at once.
func (c Config) Validate() error {
	var bad []error
	refuse := func(format string, args ...any) { bad = append(bad, fmt.Errorf("pipelines."+format, args...)) }
	switch c.Executor {
	case sandbox.ModeSandbox, sandbox.ModeHost:
	case ExecutorKubernetes:
		bad = append(bad, c.Kubernetes.Validate())
	default:
		refuse("executor must be sandbox, host or kubernetes, not %q", c.Executor)
	}
	if c.Concurrency < 0 || c.Concurrency > 256 {
		refuse("concurrency must be 0 to 256, not %d", c.Concurrency)
	}
	if c.Lease < 3*time.Second {
		refuse("lease must be at least 3s, not %s", c.Lease)
	}
	if c.Reruns < 0 || c.Reruns > 5 {
		refuse("reruns must be 0 to 5, not %d", c.Reruns)
	}
	for name, d := range map[string]time.Duration{
		"artifact_life": c.ArtifactLife, "cache_life": c.CacheLife, "workspace_life": c.WorkspaceLife,
		"output_life": c.OutputLife, "job_life": c.JobLife,
	} {
		if d <= 0 {
			refuse("%s must be above 0, not %s", name, d)
		}
	}
	if min(c.CacheBytes, c.ArtifactBytes, c.WorkspaceBytes, c.OwnerBytes, c.OutputBytes) < 1 {
		refuse("cache_bytes, artifact_bytes, workspace_bytes, owner_bytes and output_bytes must be above 0")
	}
	if c.KeptJobs < build.LastingJobs {
		refuse("kept_jobs must be at least %d, not %d", build.LastingJobs, c.KeptJobs)
	}
	bad = append(bad, c.Queue.validate())
	if err := c.Limits.Validate(); err != nil {
		refuse("%w", err)
	}
	if err := c.confinement().Validate(); err != nil {
		refuse("sandbox: %w", err)
	}
	return errors.Join(bad...)
}

// ProgramSandbox is where programs of jobs run on this machine; nil when they run in a cluster.
func (c Config) ProgramSandbox() *sandbox.Config {
	if c.Executor == ExecutorKubernetes {
		return nil
	}
	confined := c.confinement()
	return &confined
}

// confinement is the sandbox in the mode that executor names. Where jobs run in a cluster, it has no programs.
func (c Config) confinement() sandbox.Config {
	confined := c.Sandbox
	confined.Mode = sandbox.ModeSandbox
	if c.Executor == sandbox.ModeHost {
		confined.Mode = sandbox.ModeHost
	}
	return confined
}
