package pipelines

import (
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/project"
)

// handleBuildAction is POST below the number of a job.
func (s *Service) handleBuildAction(r *route.Request, t target) (any, error) {
	num, err := numberOf(r)
	if err != nil {
		return nil, err
	}
	b, err := s.act(r, t, num, r.PathValue("action"))
	if err != nil {
		return nil, err
	}
	return s.summaryOf(r, t, b), nil
}

// act is the table of actions on a job.
func (s *Service) act(r *route.Request, t target, num int64, action string) (build.Build, error) {
	ctx := r.Context()
	switch action {
	case "retry":
		var in triggerRequest
		if err := readBody(r, &in); err != nil {
			return build.Build{}, err
		}
		return s.Retry(ctx, t.repo, num, t.actor(), build.WhyRetry, in.NoCache)
	case "ssh":
		return s.Retry(ctx, t.repo, num, t.actor(), build.WhySSH, false)
	case "cancel":
		return s.Cancel(ctx, t.repo, num, t.actor())
	case "approve":
		return s.Approve(ctx, t.repo, num, t.actor())
	case "ssh-users":
		if err := project.Personal(t.caller); err != nil {
			return build.Build{}, err
		}
		return s.AddSSHUser(ctx, t.repo, num, t.actor())
	}
	return build.Build{}, route.ErrNoRoute
}
