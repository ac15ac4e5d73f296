package pipelines

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/database"
)

// finish ends a job and does everything that follows from its end: it closes
// open steps, runs lost work again, moves the workflow on and tells those who
// want to know. All of it is one transaction.
func (s *Service) finish(ctx context.Context, tx *database.Tx, b *Build, e Event, reason string) error {
	now := s.now()
	if err := s.judge(ctx, tx, b, &e); err != nil {
		return err
	}
	next, err := b.State.Apply(e)
	if err != nil {
		return err
	}
	b.State = next
	if next.Lifecycle == Finished {
		b.StopTime = now
	}
	if reason != "" {
		b.FailReason = storable(reason)
	}
	if next.Outcome == Success && b.Success.Num == 0 {
		green, err := anySuccess(ctx, tx, b.RepoID)
		if err != nil {
			return err
		}
		b.FirstGreen = !green
	}
	var again *Build
	if next.Status == StatusRetried {
		if again, err = s.repeat(ctx, tx, b, WhyRebuild, forge.Actor{}, true); err != nil {
			return err
		}
	}
	if err := updateBuild(ctx, tx, b); err != nil {
		return err
	}
	if err := endActions(ctx, tx, b.ID, actionStatus(next.Outcome), now); err != nil {
		return err
	}
	s.announce(tx, b)
	id := b.ID
	tx.OnCommit(func() { s.queue.stop(id) })
	if again == nil && b.Workflow.ID != "" {
		if err := s.settle(ctx, tx, b.Workflow.ID); err != nil {
			return err
		}
	}
	s.notify(ctx, tx, b)
	return nil
}

// maxLooks bounds how often a job is looked at again that a worker claims in
// the same moment: it can be claimed once.
const maxLooks = 4

// stopJob cancels a job from outside of its worker. Jobs are claimed under
// another lock than they are canceled under, so the row may change between the
// look and the write; then it is looked at again. One that has ended stays as
// it is.
func (s *Service) stopJob(ctx context.Context, tx *database.Tx, id int64, reason string, mark func(*Build)) (b Build, err error) {
	for range maxLooks {
		if b, err = buildByID(ctx, tx, id); err != nil || b.State.Ended() {
			return b, err
		}
		mark(&b)
		if err = s.finish(ctx, tx, &b, Event{Kind: EventCancel}, reason); !errors.Is(err, errLeaseLost) {
			return b, err
		}
	}
	return b, err
}

// judge looks up what the status of an end depends on.
func (s *Service) judge(ctx context.Context, tx *database.Tx, b *Build, e *Event) error {
	if e.Kind == EventLost {
		e.RunAgain = b.Attempts < s.config.Reruns
	}
	if e.Kind != EventFinish || e.Outcome != Success {
		return nil
	}
	before, err := verdictBefore(ctx, tx, b)
	e.WasFailing = before.Status.failing()
	return err
}

// actionStatus is what becomes of a step that a job's end interrupts.
func actionStatus(o Outcome) ActionStatus {
	switch o {
	case Canceled:
		return ActionCanceled
	case TimedOut:
		return ActionTimedOut
	case InfrastructureFail:
		return ActionBroken
	case Success, NoTests:
		return ActionSuccess
	case Failed:
	}
	return ActionFailed
}

// repeat makes a job that does the same work once more, and notes it in the
// old one, which the caller writes.
func (s *Service) repeat(ctx context.Context, tx *database.Tx, old *Build, why Why, actor forge.Actor, own bool) (*Build, error) {
	details, err := detailsOf(ctx, tx, old.ID)
	if err != nil {
		return nil, err
	}
	num, err := takeNumbers(ctx, tx, old.RepoID, 1)
	if err != nil {
		return nil, err
	}
	now := s.now()
	b := Build{
		RepoID: old.RepoID, OwnerID: old.OwnerID, Num: num, JobName: old.JobName, Branch: old.Branch, Revision: old.Revision, Tag: old.Tag,
		Committer: old.Committer, Author: old.Author, Subject: old.Subject, Body: old.Body, Compare: old.Compare, Why: why,
		PushedAt: now, UsageQueuedAt: now, QueuedAt: now, State: born(), RetryOf: old.Num, Parallel: old.Parallel,
		Parameters: old.Parameters, NoCache: old.NoCache, OSS: old.OSS, Actor: actor, SSH: why == WhySSH, Workflow: old.Workflow,
	}
	if own {
		b.Attempts, b.Actor, b.PushedAt = old.Attempts+1, old.Actor, old.PushedAt
	}
	if b.Workflow.ID != "" {
		b.Workflow.JobID = s.world.IDs.UUID()
	}
	if b.Previous, err = previousOf(ctx, tx, &b); err != nil {
		return nil, err
	}
	if b.Success, err = successBefore(ctx, tx, &b); err != nil {
		return nil, err
	}
	if b.State, err = b.State.Apply(Event{Kind: EventReady}); err != nil {
		return nil, err
	}
	if b.ID, err = insertBuild(ctx, tx, b, details); err != nil {
		return nil, err
	}
	b.Version = 1
	s.announce(tx, &b)
	old.Retries = append(old.Retries, num)
	return &b, nil
}

// settle moves a workflow on: jobs whose requirements are met become ready,
// jobs whose requirements cannot be met any more never run.
func (s *Service) settle(ctx context.Context, tx *database.Tx, workflowID string) error {
	all, err := workflowBuilds(ctx, tx, workflowID)
	if err != nil {
		return err
	}
	latest := map[string]*Build{}
	for i := range all {
		latest[all[i].JobName] = &all[i]
	}
	for moved := true; moved; {
		moved = false
		for i := range all {
			b := &all[i]
			if b.State.Lifecycle != NotRunning {
				continue
			}
			changed, err := s.advance(ctx, tx, b, latest)
			if err != nil {
				return err
			}
			moved = moved || changed
		}
	}
	return nil
}

// advance looks at one waiting job.
func (s *Service) advance(ctx context.Context, tx *database.Tx, b *Build, latest map[string]*Build) (bool, error) {
	details, err := detailsOf(ctx, tx, b.ID)
	if err != nil {
		return false, err
	}
	var plan storedPlan
	if err := json.Unmarshal(details.Plan, &plan); err != nil {
		return false, fmt.Errorf("plan of job %d: %w", b.ID, err)
	}
	event := Event{Kind: EventReady}
	for _, name := range b.Workflow.Requires {
		upstream := latest[name]
		switch {
		case upstream != nil && !upstream.State.Ended():
			return false, nil
		case upstream == nil || !meets(upstream.State, plan.Job.After[name]):
			event = Event{Kind: EventSkip}
		}
	}
	if event.Kind == EventReady && b.Workflow.Approval {
		return false, nil // a person has to say so
	}
	if b.State, err = b.State.Apply(event); err != nil {
		return false, err
	}
	if event.Kind == EventSkip {
		b.DontBuild = DontBuildRequires
	} else {
		b.QueuedAt = s.now()
	}
	if err := updateBuild(ctx, tx, b); err != nil {
		return false, err
	}
	s.announce(tx, b)
	return true, nil
}

// meets reports whether an end is one of those asked for; success by default.
func meets(s State, wanted []string) bool {
	if len(wanted) == 0 {
		wanted = []string{"success"}
	}
	word := "failed"
	switch {
	case s.Lifecycle == NotRun:
		word = "not_run"
	case s.Outcome == Success, s.Outcome == NoTests:
		word = "success"
	case s.Outcome == Canceled:
		word = "canceled"
	}
	return slices.Contains(wanted, word) || slices.Contains(wanted, "terminal")
}
