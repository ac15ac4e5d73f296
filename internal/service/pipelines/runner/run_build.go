package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/execute"
	"stoa.dev/stoa/internal/service/pipelines/project"
	"stoa.dev/stoa/internal/service/pipelines/recipe"
)

const (
	// finishTime bounds how long the end of a run may take to be written.
	finishTime = time.Minute
	// finishPause is the pause before it is tried again.
	finishPause = 500 * time.Millisecond
)

// run runs a claimed job to its end and writes how it ended. If that cannot be written the lease runs out, and the job
// is found lost.
func (r *Runner) run(ctx context.Context, b *build.Build) {
	p := newProgress(r, b)
	stopped := context.AfterFunc(ctx, p.abort)
	defer stopped()
	var flushing sync.WaitGroup
	flushing.Go(func() { p.loop(ctx) })
	outcome, reason := r.runNodes(ctx, b, p)
	p.finish()
	flushing.Wait()

	event := build.Event{Kind: build.EventFinish, Outcome: outcome}
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errStopping):
		event, reason = build.Event{Kind: build.EventLost}, "the worker was stopped"
	case errors.Is(cause, errUnwritten):
		event, reason = build.Event{Kind: build.EventLost}, "the database was away for too long"
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishTime)
	defer cancel()
	err := r.writeEnd(ending, b, p, event, reason)
	for isTemporary(err) && ctx.Err() == nil && clock.Sleep(ending, r.machine, finishPause) == nil {
		err = r.writeEnd(ending, b, p, event, reason)
	}
	if err != nil && !errors.Is(err, build.ErrLeaseLost) && !build.IsTransition(err) {
		r.log.LogAttrs(ctx, slog.LevelError, "end of job not written", slog.Int64("job", b.ID), slog.Any("error", err))
	}
}

// isTemporary reports whether a failure may be over in a moment. A commit whose outcome is unknown is one: if it
// happened, the fence says so the next time.
func isTemporary(err error) bool {
	return errors.Is(err, database.ErrUnavailable) || errors.Is(err, database.ErrBusy) ||
		errors.Is(err, database.ErrUnknown)
}

// writeEnd writes what is left of a run's progress, and how it ended.
func (r *Runner) writeEnd(ctx context.Context, b *build.Build, p *progress, event build.Event, reason string) error {
	return r.change(ctx, b.RepoID, func(ctx context.Context, tx *database.Tx) error {
		if err := p.write(ctx, tx); err != nil {
			return err
		}
		// Numbers and marks of the row may have changed since it was claimed.
		fresh, err := build.ByID(ctx, tx, b.ID)
		if err != nil {
			return err
		}
		if fresh.Lease.Fence != b.Lease.Fence {
			return build.ErrLeaseLost
		}
		return r.Finish(ctx, tx, &fresh, event, reason)
	})
}

// runNodes runs all nodes of a job and combines their outcomes.
func (r *Runner) runNodes(ctx context.Context, b *build.Build, p *progress) (build.Outcome, string) {
	task, err := r.task(ctx, b)
	if err != nil {
		return build.InfrastructureFail, err.Error()
	}
	repo, err := r.o.Forge.Repository(ctx, b.RepoID)
	if err != nil {
		return build.InfrastructureFail, err.Error()
	}
	p.spinUp(ctx, task, r.sandbox.Confined())
	results := make([]result, task.Nodes)
	var nodes sync.WaitGroup
	for n := range task.Nodes {
		nodes.Go(func() { results[n] = r.runNode(ctx, b, repo, task, n, p) })
	}
	nodes.Wait()
	outcome, reason := combine(results)
	if outcome == build.Success && !runsCommands(task.Job) {
		return build.NoTests, "the job names no command"
	}
	return outcome, reason
}

type result struct {
	outcome build.Outcome
	reason  string
}

// runNode runs one node, once it has a slot: a job with many nodes waits for each like many jobs. The slot of a job
// with one node is the job's until it has ended.
func (r *Runner) runNode(
	ctx context.Context, b *build.Build, repo forge.Repository, task execute.Task, n int, p *progress,
) result {
	q := r.queue
	if err := q.slots.acquire(ctx, b.ID, q.wake); err != nil {
		if errors.Is(err, execute.ErrCanceled) {
			return result{outcome: build.Canceled}
		}
		return result{build.InfrastructureFail, err.Error()}
	}
	if task.Nodes > 1 {
		defer q.wake()
		defer q.slots.release(b.ID)
	}
	task.Node = n
	task.Environment = r.environment(b, repo, task, n)
	h := &executeHost{r: r, build: b, repo: repo, node: n, progress: p}
	outcome, err := r.engine.Run(ctx, task, h, &nodeProgress{progress: p, node: n})
	reason := p.reasonOf(n)
	if err != nil {
		reason = err.Error()
	}
	return result{outcomeOf(outcome), reason}
}

// outcomeOf translates the engine's word to the contract's.
func outcomeOf(o execute.Outcome) build.Outcome {
	switch o {
	case execute.Success:
		return build.Success
	case execute.Failed:
		return build.Failed
	case execute.TimedOut:
		return build.TimedOut
	case execute.Canceled:
		return build.Canceled
	case execute.Infrastructure:
	}
	return build.InfrastructureFail
}

// combine is the outcome of a job with several nodes: the worst of them.
func combine(results []result) (build.Outcome, string) {
	for _, o := range []build.Outcome{build.Canceled, build.InfrastructureFail, build.TimedOut, build.Failed} {
		for _, one := range results {
			if one.outcome == o {
				return one.outcome, one.reason
			}
		}
	}
	return build.Success, ""
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

// task is what all nodes of a job share.
func (r *Runner) task(ctx context.Context, b *build.Build) (t execute.Task, err error) {
	plan, err := build.PlanOf(ctx, r.world.DB, b.ID)
	if err != nil {
		return t, err
	}
	if plan.Broken {
		return t, build.ErrBroken
	}
	t = execute.Task{
		Job: plan.Job, Nodes: int(b.Parallel), Branch: b.Branch, Revision: b.Revision, BuildNum: b.Num,
		Agents: r.o.Agents,
	}
	if t.Environment, err = r.o.Secrets.Environment(ctx, b.RepoID); err != nil {
		return t, err
	}
	for _, value := range t.Environment {
		t.Secrets = append(t.Secrets, value)
	}
	keys, err := r.o.Secrets.PrivateKeys(ctx, b.RepoID)
	for _, k := range keys {
		t.Keys = append(t.Keys, execute.Key{Host: k.Host, Fingerprint: k.Fingerprint, Private: k.Private})
		t.Secrets = append(t.Secrets, string(k.Private))
		if k.Preferred {
			t.CheckoutKey = k.Fingerprint
		}
	}
	return t, err
}

// environment is what a node finds set: the project's variables, over them the parameters of the trigger, over all the
// built-in ones. Jobs and steps may set their own above these.
func (r *Runner) environment(b *build.Build, repo forge.Repository, t execute.Task, node int) map[string]string {
	env := make(map[string]string, len(t.Environment)+24)
	maps.Copy(env, t.Environment)
	var parameters map[string]string
	if err := json.Unmarshal(b.Parameters, &parameters); err == nil {
		for name, value := range parameters {
			if project.IsVariable(name) {
				env[name] = value
			}
		}
	}
	maps.Copy(env, r.builtIns(b, repo, t, node))
	return env
}

func (r *Runner) builtIns(b *build.Build, repo forge.Repository, t execute.Task, node int) map[string]string {
	env := map[string]string{"CI": "true", r.o.Mark: "true"}
	for name, value := range map[string]string{
		"BRANCH": b.Branch, "TAG": b.Tag, "SHA1": b.Revision, "JOB": b.JobName,
		"BUILD_NUM": fmt.Sprint(b.Num), "BUILD_URL": r.o.BuildURL(repo, b.Num),
		"NODE_INDEX": fmt.Sprint(node), "NODE_TOTAL": fmt.Sprint(t.Nodes),
		"PROJECT_USERNAME": repo.Owner.Name, "PROJECT_REPONAME": repo.Name,
		"REPOSITORY_URL": r.o.GitURL(repo) + ".git",
		"USERNAME":       b.Actor.Name, "WORKFLOW_ID": b.Workflow.ID, "WORKFLOW_JOB_ID": b.Workflow.JobID,
		"WORKFLOW_WORKSPACE_ID": b.Workflow.WorkspaceID, "WORKING_DIRECTORY": t.Job.WorkingDirectory,
	} {
		if value != "" {
			env[r.o.VariablePrefix+name] = value
		}
	}
	if b.Previous.Num != 0 {
		env[r.o.VariablePrefix+"PREVIOUS_BUILD_NUM"] = fmt.Sprint(b.Previous.Num)
	}
	return env
}
