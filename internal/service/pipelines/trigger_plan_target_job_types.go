package pipelines

import (
	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/recipe"
	"stoa.dev/stoa/internal/service/pipelines/vcs"
)

// TriggerOptions are what a caller chooses about the jobs to run.
type TriggerOptions struct {
	Branch, Tag, Revision string
	// Job names one job.
	Job      string
	Parallel int64
	// Parameters become variables of the jobs, Pipeline values of the parameters that the configuration declares.
	Parameters map[string]string
	Pipeline   map[string]any
	NoCache    bool
	// Config is a configuration that takes the place of the revision's.
	Config string
}

// Bounds of a trigger.
const (
	// maxParallel is how many nodes a caller may ask for.
	maxParallel = 64
	// maxConfig is the largest configuration that is read.
	maxConfig = 1 << 20
	// maxStored bounds what a trigger stores for all its jobs together: each has the configuration and the commits in
	// addition to its own plan.
	maxStored = 32 << 20
)

// buildError is the name of the job that tells of a configuration that cannot be used.
const buildError = "Build Error"

// trigger is a call, or a push, that makes jobs.
type trigger struct {
	TriggerOptions
	// request names the row of the queue that asks for the jobs, which may ask twice; see build.TakeRequest.
	request string
	repo    forge.Repository
	actor   forge.Actor
	why     build.Why
	// commits are those of the push, before is where the branch stood.
	commits []forge.Commit
	before  string
	// continues says that a setup job of the same pipeline asks for the jobs.
	continues bool
	// schedule names the workflow that is due.
	schedule string
	// pipelineID and pipelineNumber are taken when the configuration asks for them.
	pipelineID     string
	pipelineNumber int64
}

// plan is a trigger with everything read that its jobs need.
type plan struct {
	trigger
	source
	webhooks []string
	jobs     []recipe.Job
	// schedules are what the configuration asks for besides; nil where it cannot be read.
	schedules []recipe.Schedule
	// refusal is why there is nothing to run, as an outcome and a message.
	refusal build.Outcome
	message string
	// notes are messages of every job.
	notes []build.Message
	// skip is the reason for which the jobs are not run.
	skip string
}

// target is the project of a call, as the caller named it.
type target struct {
	repo   forge.Repository
	kind   vcs.Kind
	caller *identity.Caller
}

// actor is the caller as jobs name it.
func (t target) actor() forge.Actor { return forge.ActorOf(t.caller) }

// job is a build with what its wire forms need in addition.
type job struct {
	build build.Build
	repo  forge.Repository
	kind  vcs.Kind
	// base is what links begin with.
	base string
	// reader is whom signed addresses are made for (project.Reader), keyID the credential that they end with, if any.
	reader  int64
	keyID   int64
	details build.Details
	actions []build.Action
}
