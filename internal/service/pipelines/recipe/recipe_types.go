package recipe

import "time"

// File is one pipeline.yml, read and found sound.
type File struct {
	// Version is 2 or 2.1.
	Version string
	// Setup says that a job of this file continues the pipeline with another
	// file.
	Setup bool
	// Webhooks are the addresses of notify.webhooks.
	Webhooks []string

	name       string
	images     bool
	parameters []parameter
	space      *space
	workflows  []entry
	schedules  []Schedule
}

// Options are what a file is read with.
type Options struct {
	// Name is the name of the file in messages.
	Name string
	// Orbs finds the text of an orb by its reference, and the name of its file;
	// it reports ErrNoOrb. Without it only orbs that the file writes out are
	// known.
	Orbs func(reference string) (text []byte, name string, err error)
	// Images says that the images of docker are used; without it they are noted.
	Images bool
}

// Revision is what a plan is made for. At most one of Branch and Tag is set.
type Revision struct {
	Branch, Tag string
	// Values are facts about the pipeline by the names that a file gives them,
	// pipeline.id for example. Branch and Tag need not be repeated.
	Values map[string]any
	// Schedule names the workflow of a schedule that is due; then nothing else
	// is planned.
	Schedule string
	// Parameters are the pipeline parameters of the trigger.
	Parameters map[string]any
	// Only names one job to run by itself, for triggers without a workflow.
	Only string
}

// Job is one job to run, everything resolved.
type Job struct {
	// Name is unique in the plan. Base is the key under jobs.
	Name, Base string
	// Workflow is empty for a job that was asked for by name.
	Workflow string
	// Requires names jobs of the same workflow; After says which of their ends
	// count, by default success.
	Requires []string
	After    map[string][]string
	// Approval jobs wait for a user and have no steps.
	Approval         bool
	Parallelism      int
	Environment      map[string]string
	Shell            string
	WorkingDirectory string
	// Network asks for the network of the host; the operator decides.
	Network bool
	// Timeout bounds the whole job; zero leaves it to the operator.
	Timeout  time.Duration
	Class    string
	Contexts []string
	// System is the system that the job is written for, when it is not said or
	// Linux empty.
	System string
	// Images are those of docker, the one of the steps first, where the runner uses them.
	Images []Image
	// Setup jobs may continue the pipeline with another file.
	Setup bool
	// SerialGroup is the name under which jobs run one after the other.
	SerialGroup string
	// Notes say what the file asks for and does not get, each with its line.
	Notes []string
	Steps []Step
}

// Image is one that the steps run in, or that runs beside them.
type Image struct {
	Name                string
	Entrypoint, Command []string
	Environment         map[string]string
}

// Kind is what a step does.
type Kind string

// The kinds of steps.
const (
	KindRun      Kind = "run"
	KindCheckout Kind = "checkout"
	KindSave     Kind = "save_cache"
	KindRestore  Kind = "restore_cache"
	KindStore    Kind = "store_artifacts"
	KindTests    Kind = "store_test_results"
	KindPersist  Kind = "persist_to_workspace"
	KindAttach   Kind = "attach_workspace"
	KindKeys     Kind = "add_ssh_keys"
)

// When says after which course of the job a step runs.
type When string

// The conditions of a step.
const (
	OnSuccess When = "on_success"
	OnFail    When = "on_fail"
	Always    When = "always"
)

// Step is one step. The member that Kind names is set, and no other.
type Step struct {
	Kind Kind
	// Name is what a reader of the log sees.
	Name string
	When When

	Run       *RunStep
	Checkout  *CheckoutStep
	Save      *SaveCache
	Restore   *RestoreCache
	Artifacts *StoreArtifacts
	Tests     *StoreTests
	Persist   *Persist
	Attach    *Attach
	Keys      *AddKeys
}

// RunStep runs a command.
type RunStep struct {
	Command string
	// Shell is the program that takes the command, with its arguments, for
	// example /bin/bash -eo pipefail. Empty means the job's.
	Shell            string
	Environment      map[string]string
	WorkingDirectory string
	// Background steps run beside the following ones until the job ends.
	Background bool
	// Silence ends the step when it has printed nothing for that long.
	Silence time.Duration
	// Reruns is how often a failing command is tried again, after Delay.
	Reruns int
	Delay  time.Duration
}

// CheckoutStep puts the revision into a folder, by default the job's.
type CheckoutStep struct{ Path string }

// SaveCache keeps paths under a key that is never overwritten.
type SaveCache struct {
	Key   string
	Paths []string
}

// RestoreCache brings back the newest cache whose key starts with one of the
// keys, tried in order.
type RestoreCache struct{ Keys []string }

// StoreArtifacts keeps a file or a folder.
type StoreArtifacts struct{ Path, Destination string }

// StoreTests reads JUnit results from a file or a folder.
type StoreTests struct{ Path string }

// Persist adds paths below Root to the workspace of the workflow.
type Persist struct {
	Root  string
	Paths []string
}

// Attach unpacks the workspace of the workflow.
type Attach struct{ At string }

// AddKeys puts keys of the project beside those of the job.
type AddKeys struct{ Fingerprints []string }
