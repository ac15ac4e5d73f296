package execute

import (
	"context"
	"errors"
	"io"
	"time"

	"stoa.dev/stoa/internal/service/pipelines/recipe"
)

// ErrCanceled is the cause with which the context of a run is cancelled when a
// user cancels the job.
var ErrCanceled = errors.New("execute: the job was canceled")

// Task is one node of one job.
type Task struct {
	Job recipe.Job
	// Node counts from 0 to Nodes-1.
	Node, Nodes      int
	Branch, Revision string
	BuildNum         int64
	// Environment holds the built-ins and the project's variables; job and step
	// variables win over it.
	Environment map[string]string
	// Secrets are masked in output.
	Secrets []string
	// Keys are private keys for hosts outside.
	Keys []Key
	// CheckoutKey is the fingerprint that cache keys may name.
	CheckoutKey string
	// Timings are of earlier jobs, to split tests by.
	Timings []Timing
	// Agents are further names of the program stoa-agent, by which a step ends
	// its job: "stoa-agent step halt".
	Agents []string
}

// Key is a private SSH key. Host is empty for a key that serves every host.
type Key struct {
	Host        string
	Fingerprint string
	Private     []byte
}

// Outcome is how a node ended.
type Outcome string

// The outcomes.
const (
	Success        Outcome = "success"
	Failed         Outcome = "failed"
	TimedOut       Outcome = "timedout"
	Canceled       Outcome = "canceled"
	Infrastructure Outcome = "infrastructure_fail"
)

// Host keeps what outlives a job.
type Host interface {
	// Checkout puts the revision with its .git into dir, an empty folder.
	Checkout(ctx context.Context, dir string) error
	// SaveCache keeps a cache unless the key exists; then it reports
	// ErrExists without reading r.
	SaveCache(ctx context.Context, key string, r io.Reader) error
	// RestoreCache finds the first key with a cache; a nil reader is a miss.
	RestoreCache(ctx context.Context, keys []string) (key string, r io.ReadCloser, err error)
	// Persist adds a layer to the workspace; Attach reads all layers as one tar,
	// nil when there are none.
	Persist(ctx context.Context, r io.Reader) error
	Attach(ctx context.Context) (io.ReadCloser, error)
	Artifact(ctx context.Context, path string, size int64, r io.Reader) error
	Tests(ctx context.Context, cases []TestCase) error
}

// ErrExists says that a cache key is taken.
var ErrExists = errors.New("execute: a cache with this key exists")

// ErrRefused is the family of a Host's errors that are the job's own doing: the
// step fails, with the error's text as its reason. Every other error of a Host
// is one of the infrastructure.
var ErrRefused = errors.New("refused")

// Reporter hears what happens, in order for each step. Output comes from
// several goroutines at once for steps that overlap, never for one step.
type Reporter interface {
	StepStarted(ctx context.Context, s StepStart) error
	// Output brings bytes of a step, masked and bounded; kind is out or err.
	// It may block, which slows the step down. p is reused after the call.
	Output(ctx context.Context, step int, kind string, p []byte) error
	StepEnded(ctx context.Context, s StepEnd) error
}

// StepStart announces a step. Step counts from 0 in the order of the job,
// steps that do not run included.
type StepStart struct {
	Step       int
	Kind       recipe.Kind
	Name       string
	Command    string
	Background bool
	At         time.Time
}

// StepEnd closes a step. Skipped steps are not reported at all.
type StepEnd struct {
	Step    int
	Outcome Outcome
	// Code is the exit code of a run step; -1 when there is none.
	Code int
	// Truncated says that output was dropped after the bound.
	Truncated bool
	// Reason is one sentence about a step that did not succeed.
	Reason string
	At     time.Time
}

// TestCase is one case of a JUnit report.
type TestCase struct {
	Name, Class, File, Source string
	// Result is success, failure, error or skipped.
	Result  string
	Message string
	Seconds float64
}
