package build

import (
	"encoding/json"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/service/pipelines/recipe"
)

// Build is one job, as its row keeps it.
type Build struct {
	ID     int64
	RepoID int64
	// OwnerID is whose share of the workers the job takes; see OwnerOf.
	OwnerID int64
	// Num grows by one per project.
	Num int64
	// Version grows with every change, so that encoded forms can be cached.
	Version int64

	JobName                 string
	Branch, Revision, Tag   string
	Committer, Author       forge.Signature
	Subject, Body, Compare  string
	Why                     Why
	DontBuild               string
	PushedAt, UsageQueuedAt time.Time
	QueuedAt                time.Time
	StartTime, StopTime     time.Time
	State                   State
	RetryOf                 int64
	Retries                 []int64
	// Attempts counts how often the platform itself has run this work again.
	Attempts int64

	// Previous is the job of the same name on the branch before this one, Success the last of those that succeeded.
	Previous, Success Reference
	FirstGreen        bool

	Parallel   int64
	FailReason string
	Canceler   forge.Actor
	Messages   []Message
	SSHUsers   []forge.Actor
	// Parameters are what a trigger sent: a JSON object of strings.
	Parameters json.RawMessage
	SSH        bool
	NoCache    bool
	OSS        bool
	Artifacts  bool
	Actor      forge.Actor
	Workflow   Workflow

	Lease Lease
}

// Lease is which worker runs a job, and until when that is believed. The fence tells a former holder from the
// present one.
type Lease struct {
	Owner string
	Until time.Time
	Fence int64
}

// Reference names another job and how it ended.
type Reference struct {
	Num    int64
	Status Status
}

// Message is a line above a job's steps.
type Message struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

// Warnings say what a configuration asks for and does not get where its job runs.
func Warnings(job recipe.Job) []Message {
	var out []Message
	for _, note := range job.Notes {
		out = append(out, Message{Type: "warning", Message: note})
	}
	return out
}

// Workflow is a job's place among others of the same push. The ID is empty for a job without a workflow.
type Workflow struct {
	ID, Name string
	// JobID names the job itself, WorkspaceID what the jobs share.
	JobID, WorkspaceID string
	// Requires are names of jobs, Upstream the ids of those.
	Requires, Upstream []string
	Approval           bool
}

// Why is the reason a job was built.
type Why string

// The reasons. An answer names a push with the word of the code host.
const (
	WhyPush    Why = "push"
	WhyAPI     Why = "api"
	WhyRetry   Why = "retry"
	WhySSH     Why = "ssh"
	WhyRebuild Why = "rebuild"
	WhyFirst   Why = "first-build"
	// WhySchedule jobs were due by a schedule of the configuration.
	WhySchedule Why = "schedule"
)

// The reasons a job was not built.
const (
	DontBuildSkip     = "ci-skip"
	DontBuildRequires = "requires-not-met"
)

// Millis is how long a finished job ran; false before.
func (b *Build) Millis() (int64, bool) {
	if b.StartTime.IsZero() || b.StopTime.IsZero() {
		return 0, false
	}
	return b.StopTime.Sub(b.StartTime).Milliseconds(), true
}

// Details is what only the detail of a job shows.
type Details struct {
	Config  string
	Plan    json.RawMessage
	Commits []forge.Commit
}

// Plan is what a worker needs to know of a job, as Details keep it.
type Plan struct {
	// PipelineID and PipelineNumber are set when the configuration has asked for them.
	PipelineID     string `json:"pipeline_id,omitempty"`
	PipelineNumber int64  `json:"pipeline_number,omitempty"`

	Job      recipe.Job `json:"job"`
	Webhooks []string   `json:"webhooks,omitempty"`
	// Broken jobs end as infrastructure_fail.
	Broken bool `json:"broken,omitempty"`
}

// Action is one step on one node.
type Action struct {
	BuildID    int64
	Step, Node int
	Name       string
	Kind       string
	Command    string
	Status     ActionStatus
	StartedAt  time.Time
	EndedAt    time.Time
	// ExitCode is nil while running and for steps that run no program.
	ExitCode   *int64
	Background bool
	OutputSize int64
	Truncated  bool
}

// ActionStatus is how a step stands.
type ActionStatus string

// The states of a step.
const (
	ActionRunning  ActionStatus = "running"
	ActionSuccess  ActionStatus = "success"
	ActionFailed   ActionStatus = "failed"
	ActionTimedOut ActionStatus = "timedout"
	ActionCanceled ActionStatus = "canceled"
	ActionBroken   ActionStatus = "infrastructure_fail"
)

// Piece is a part of what an action printed, packed.
type Piece struct {
	Step, Node int
	Seq        int64
	Kind       string
	At         time.Time
	// Size is that of the text before packing.
	Size   int
	Packed []byte
}

// MaxPiece bounds the text of one piece.
const MaxPiece = 512 << 10

// TestCase is one test that a job has reported. Its JSON form is stored.
type TestCase struct {
	Name, Class, File, Source string
	// Result is success, failure, error or skipped.
	Result  string
	Message string
	Seconds float64
}

// Artifact is a file that a job kept.
type Artifact struct {
	BuildID   int64
	Node      int
	Path      string
	Size      int64
	ExpiresAt time.Time
	// Blob is where its bytes are.
	Blob string
}

// Filter narrows a list of jobs.
type Filter string

// The contract's filters; none is all.
const (
	FilterNone       Filter = ""
	FilterCompleted  Filter = "completed"
	FilterSuccessful Filter = "successful"
	FilterFailed     Filter = "failed"
	FilterRunning    Filter = "running"
)

// Filters lists those that narrow.
func Filters() []Filter {
	return []Filter{FilterCompleted, FilterSuccessful, FilterFailed, FilterRunning}
}
