package pipelines

import (
	"context"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/refusal"
)

// Status is how a branch stands: its newest completed job, nil when there is none.
func (s *Service) Status(ctx context.Context, r forge.Repository, branch, name string) (*build.Build, error) {
	b, err := s.Latest(ctx, r, branch, name, build.FilterCompleted)
	if refusal.Has(err) {
		return nil, nil
	}
	return &b, err
}

// Workflow lists the jobs of the workflow that a job belongs to, and its state.
func (s *Service) Workflow(ctx context.Context, b build.Build) (jobs []build.Build, status string, err error) {
	if b.Workflow.ID == "" {
		return nil, "", errNotFound("Workflow not found")
	}
	jobs, err = build.OfWorkflow(ctx, s.world.DB, b.Workflow.ID)
	return jobs, workflowStatus(jobs), err
}

// workflowStatus is the state of the whole: running, on_hold, failing, success, failed or canceled.
func workflowStatus(jobs []build.Build) string {
	newest := map[string]build.Build{}
	for _, b := range jobs {
		newest[b.JobName] = b
	}
	count := map[string]int{}
	for _, b := range newest {
		count[workflowPart(b)]++
	}
	switch {
	case count["active"] > 0 && count["failed"] > 0:
		return "failing"
	case count["active"] > 0:
		return "running"
	case count["held"] > 0:
		return "on_hold"
	case count["waiting"] > 0:
		return "running"
	case count["failed"] > 0:
		return "failed"
	case count["canceled"] > 0:
		return "canceled"
	}
	return "success"
}

// workflowPart is what a job contributes to the state of its workflow.
func workflowPart(b build.Build) string {
	switch s := b.State; {
	case s.Lifecycle == build.Queued, s.Lifecycle == build.Running:
		return "active"
	case b.Workflow.Approval && s.Lifecycle == build.NotRunning:
		return "held"
	case s.Lifecycle == build.NotRunning:
		return "waiting"
	case s.Outcome == build.Canceled:
		return "canceled"
	case s.Lifecycle == build.Finished && s.Outcome != build.Success && s.Outcome != build.NoTests:
		return "failed"
	}
	return "good"
}
