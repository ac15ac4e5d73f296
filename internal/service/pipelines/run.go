package pipelines

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/pipelines/execute"
	"stoa.dev/stoa/internal/service/pipelines/recipe"
)

const (
	// finishTime bounds how long the end of a run may take to be written.
	finishTime = time.Minute
	// endAgain is the pause before it is tried again.
	endAgain = 500 * time.Millisecond
)

// run runs a claimed job to its end and writes how it ended. If that cannot be
// written the lease runs out, and the job is found lost.
func (s *Service) run(ctx context.Context, b *Build) {
	r := newReport(s, b)
	stopped := context.AfterFunc(ctx, r.abort)
	defer stopped()
	var flushing sync.WaitGroup
	flushing.Go(func() { r.loop(ctx) })
	outcome, reason := s.perform(ctx, b, r)
	r.finish()
	flushing.Wait()

	event := Event{Kind: EventFinish, Outcome: outcome}
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errStopping):
		event, reason = Event{Kind: EventLost}, "the worker was stopped"
	case errors.Is(cause, errUnwritten):
		event, reason = Event{Kind: EventLost}, "the database was away for too long"
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishTime)
	defer cancel()
	err := s.writeEnd(ending, b, r, event, reason)
	for away(err) && ctx.Err() == nil && clock.Sleep(ending, s.pace, endAgain) == nil {
		err = s.writeEnd(ending, b, r, event, reason)
	}
	if err != nil && !errors.Is(err, errLeaseLost) && !isTransition(err) {
		s.world.Telemetry.Log.Error("the end of a job could not be written", "job", b.ID, "error", err)
	}
}

// away tells of a failure that may be over in a moment. A commit whose outcome
// is unknown is one: if it happened, the fence says so the next time.
func away(err error) bool {
	return errors.Is(err, database.ErrUnavailable) || errors.Is(err, database.ErrBusy) || errors.Is(err, database.ErrUnknown)
}

// writeEnd writes what a run still has to tell, and how it ended.
func (s *Service) writeEnd(ending context.Context, b *Build, r *report, event Event, reason string) error {
	return s.change(ending, b.RepoID, func(ctx context.Context, tx *database.Tx) error {
		if err := r.write(ending, tx); err != nil {
			return err
		}
		// Numbers and marks of the row may have changed since it was claimed.
		fresh, err := buildByID(ending, tx, b.ID)
		if err != nil {
			return err
		}
		if fresh.lease.fence != b.lease.fence {
			return errLeaseLost
		}
		return s.finish(ending, tx, &fresh, event, reason)
	})
}

// perform runs all nodes of a job and puts their outcomes together.
func (s *Service) perform(ctx context.Context, b *Build, r *report) (Outcome, string) {
	task, err := s.task(ctx, b)
	if err != nil {
		return InfrastructureFail, err.Error()
	}
	repo, err := s.forge.Repository(ctx, b.RepoID)
	if err != nil {
		return InfrastructureFail, err.Error()
	}
	r.spinUp(ctx, task, s.sandbox.Confined())
	results := make([]result, task.Nodes)
	var nodes sync.WaitGroup
	for n := range task.Nodes {
		nodes.Go(func() { results[n] = s.node(ctx, b, repo, task, n, r) })
	}
	nodes.Wait()
	outcome, reason := combine(results)
	if outcome == Success && !runsCommands(task.Job) {
		return NoTests, "the job names no command"
	}
	return outcome, reason
}

type result struct {
	outcome Outcome
	reason  string
}

// node runs one node, once it has a place: a job with many takes its turns like
// many jobs. The place of a job with one node is the job's until it has ended.
func (s *Service) node(ctx context.Context, b *Build, repo forge.Repository, task execute.Task, n int, r *report) result {
	q := s.queue
	if err := q.places.enter(ctx, b.ID, q.wake); err != nil {
		if errors.Is(err, execute.ErrCanceled) {
			return result{outcome: Canceled}
		}
		return result{InfrastructureFail, err.Error()}
	}
	if task.Nodes > 1 {
		defer q.wake()
		defer q.places.leave(b.ID)
	}
	task.Node = n
	task.Environment = s.environment(b, repo, task, n)
	h := &host{service: s, build: b, repo: repo, node: n, report: r}
	outcome, err := s.engine.Run(ctx, task, h, &nodeReport{report: r, node: n})
	reason := r.reasonOf(n)
	if err != nil {
		reason = err.Error()
	}
	return result{outcomeOf(outcome), reason}
}

// outcomeOf says the engine's word in the contract's.
func outcomeOf(o execute.Outcome) Outcome {
	switch o {
	case execute.Success:
		return Success
	case execute.Failed:
		return Failed
	case execute.TimedOut:
		return TimedOut
	case execute.Canceled:
		return Canceled
	case execute.Infrastructure:
	}
	return InfrastructureFail
}

// combine is the outcome of a job with several nodes: the worst of them.
func combine(results []result) (Outcome, string) {
	worst := result{outcome: Success}
	for _, o := range []Outcome{Canceled, InfrastructureFail, TimedOut, Failed} {
		for _, r := range results {
			if r.outcome == o {
				return r.outcome, r.reason
			}
		}
	}
	return worst.outcome, ""
}

// runsCommands reports whether a job does anything that can fail or succeed.
func runsCommands(j recipe.Job) bool {
	for _, step := range j.Steps {
		if step.Kind == recipe.KindRun {
			return true
		}
	}
	return false
}

// task puts together what all nodes of a job share.
func (s *Service) task(ctx context.Context, b *Build) (execute.Task, error) {
	var t execute.Task
	details, err := detailsOf(ctx, s.world.DB, b.ID)
	if err != nil {
		return t, err
	}
	var plan storedPlan
	if err := json.Unmarshal(details.Plan, &plan); err != nil {
		return t, fmt.Errorf("plan of job %d: %w", b.ID, err)
	}
	t = execute.Task{Job: plan.Job, Nodes: int(b.Parallel), Branch: b.Branch, Revision: b.Revision, BuildNum: b.Num, Agents: s.words.agents}
	vars, err := s.openVariables(ctx, b.RepoID)
	if err != nil {
		return t, err
	}
	t.Environment = vars
	for _, value := range vars {
		t.Secrets = append(t.Secrets, value)
	}
	if t.Keys, err = s.openKeys(ctx, b.RepoID); err != nil {
		return t, err
	}
	for _, key := range t.Keys {
		t.Secrets = append(t.Secrets, string(key.Private))
	}
	if t.CheckoutKey, err = s.preferredKey(ctx, b.RepoID); err != nil {
		return t, err
	}
	return t, nil
}

// environment is what a node finds set: the project's variables, over them the
// parameters of the trigger, over all the built-in ones. Jobs and steps may set
// their own above these.
func (s *Service) environment(b *Build, r forge.Repository, t execute.Task, node int) map[string]string {
	env := make(map[string]string, len(t.Environment)+24)
	for name, value := range t.Environment {
		env[name] = value
	}
	var parameters map[string]string
	if err := json.Unmarshal(b.Parameters, &parameters); err == nil {
		for name, value := range parameters {
			if isVariable(name) {
				env[name] = value
			}
		}
	}
	for name, value := range s.builtIns(b, r, t, node) {
		env[name] = value
	}
	return env
}

func (s *Service) builtIns(b *Build, r forge.Repository, t execute.Task, node int) map[string]string {
	env := map[string]string{"CI": "true", s.words.mark: "true"}
	for name, value := range map[string]string{
		"BRANCH": b.Branch, "TAG": b.Tag, "SHA1": b.Revision, "JOB": b.JobName,
		"BUILD_NUM": fmt.Sprint(b.Num), "BUILD_URL": s.buildURL(r, vcsA, b.Num),
		"NODE_INDEX": fmt.Sprint(node), "NODE_TOTAL": fmt.Sprint(t.Nodes),
		"PROJECT_USERNAME": r.Owner.Name, "PROJECT_REPONAME": r.Name, "REPOSITORY_URL": s.world.URL() + "/git/" + r.FullName() + ".git",
		"USERNAME": b.Actor.Name, "WORKFLOW_ID": b.Workflow.ID, "WORKFLOW_JOB_ID": b.Workflow.JobID,
		"WORKFLOW_WORKSPACE_ID": b.Workflow.WorkspaceID, "WORKING_DIRECTORY": t.Job.WorkingDirectory,
	} {
		if value != "" {
			env[s.words.environment+name] = value
		}
	}
	if b.Previous.Num != 0 {
		env[s.words.environment+"PREVIOUS_BUILD_NUM"] = fmt.Sprint(b.Previous.Num)
	}
	return env
}
