package build

import (
	"errors"
	"fmt"
	"slices"
)

// Lifecycle is how far a job has come.
type Lifecycle string

// The contract's lifecycles.
const (
	NotRunning Lifecycle = "not_running"
	Queued     Lifecycle = "queued"
	Running    Lifecycle = "running"
	Finished   Lifecycle = "finished"
	NotRun     Lifecycle = "not_run"
)

// Outcome is how a finished job ended; empty before.
type Outcome string

// The contract's outcomes.
const (
	Success            Outcome = "success"
	Failed             Outcome = "failed"
	TimedOut           Outcome = "timedout"
	Canceled           Outcome = "canceled"
	InfrastructureFail Outcome = "infrastructure_fail"
	NoTests            Outcome = "no_tests"
)

// Status is what lists show of a job: its lifecycle, or its outcome with two
// refinements.
type Status string

// The contract's statuses that are no other word already.
const (
	StatusFixed   Status = "fixed"
	StatusRetried Status = "retried"
	StatusSuccess Status = "success"
)

// Outcomes lists how a job can end.
func Outcomes() []Outcome {
	return []Outcome{Canceled, InfrastructureFail, TimedOut, Failed, NoTests, Success}
}

// State is where a job stands. It changes through Apply alone.
type State struct {
	Lifecycle Lifecycle
	Outcome   Outcome
	Status    Status
}

// Event is what happens to a job.
type Event struct {
	Kind EventKind
	// Outcome is how the run ended, for EventFinish.
	Outcome Outcome
	// WasFailing is set when the job before this one did not succeed, which turns success into fixed.
	WasFailing bool
	// RunAgain is set when the platform runs the work once more by itself, which turns an infrastructure fault
	// into retried.
	RunAgain bool
}

// EventKind names an event.
type EventKind string

// The events.
const (
	// EventReady: everything required is done.
	EventReady EventKind = "ready"
	// EventStart: a worker begins the first step.
	EventStart EventKind = "start"
	// EventFinish: the run has ended by itself or by its limits.
	EventFinish EventKind = "finish"
	// EventLost: the worker is gone.
	EventLost EventKind = "lost"
	// EventCancel: a user, or a newer push, stops it.
	EventCancel EventKind = "cancel"
	// EventSkip: it is decided that it never runs.
	EventSkip EventKind = "skip"
	// EventRefuse: there is nothing that could run: no configuration, or one
	// that cannot be read.
	EventRefuse EventKind = "refuse"
)

// NewState is the state of every job at first.
func NewState() State { return State{Lifecycle: NotRunning, Status: Status(NotRunning)} }

// transitions is the graph: which event takes which lifecycle where. What is
// not listed does not happen.
func transitions() map[Lifecycle]map[EventKind]Lifecycle {
	return map[Lifecycle]map[EventKind]Lifecycle{
		NotRunning: {EventReady: Queued, EventCancel: Finished, EventSkip: NotRun, EventRefuse: Finished},
		Queued:     {EventStart: Running, EventCancel: Finished, EventSkip: NotRun},
		Running:    {EventFinish: Finished, EventLost: Finished, EventCancel: Finished},
		Finished:   {},
		NotRun:     {},
	}
}

// TransitionError is an event that cannot happen in a lifecycle.
type TransitionError struct {
	From Lifecycle
	Kind EventKind
}

func (e *TransitionError) Error() string {
	return fmt.Sprintf("a job that is %s cannot %s", e.From, e.Kind)
}

// IsTransition reports whether an event came too late, because the job has ended.
func IsTransition(err error) bool {
	var refused *TransitionError
	return errors.As(err, &refused)
}

// Apply is the state after the event.
func (s State) Apply(e Event) (State, error) {
	next, ok := transitions()[s.Lifecycle][e.Kind]
	if !ok {
		return s, &TransitionError{From: s.Lifecycle, Kind: e.Kind}
	}
	if next != Finished {
		return State{Lifecycle: next, Status: Status(next)}, nil
	}
	outcome := e.Outcome
	switch e.Kind {
	case EventCancel:
		outcome = Canceled
	case EventLost:
		outcome = InfrastructureFail
	case EventReady, EventStart, EventFinish, EventSkip, EventRefuse:
	}
	if !slices.Contains(Outcomes(), outcome) {
		return s, fmt.Errorf("a job cannot end as %q", outcome)
	}
	return State{Lifecycle: Finished, Outcome: outcome, Status: statusOf(outcome, e)}, nil
}

func statusOf(o Outcome, e Event) Status {
	switch {
	case o == Success && e.WasFailing:
		return StatusFixed
	case o == InfrastructureFail && e.RunAgain:
		return StatusRetried
	}
	return Status(o)
}

// Ended reports whether nothing can happen any more.
func (s State) Ended() bool { return s.Lifecycle == Finished || s.Lifecycle == NotRun }

// Failing reports whether a success after the status means fixed.
func (s Status) Failing() bool {
	return s == Status(Failed) || s == Status(TimedOut) || s == Status(InfrastructureFail)
}
