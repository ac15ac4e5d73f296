package pipelines

import (
	"net/http"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/pipelines/build"
)

// trigger runs the jobs that a body asks for, on a branch if one is given, and returns the first.
func (s *Service) trigger(r *route.Request, t target, branch string) (build.Build, error) {
	var in triggerRequest
	if err := readBody(r, &in); err != nil {
		return build.Build{}, err
	}
	o, err := in.fromWire()
	if err != nil {
		return build.Build{}, err
	}
	if branch != "" {
		o.Branch = branch
	}
	builds, err := s.Trigger(r.Context(), t.repo, o, t.actor(), build.WhyAPI)
	if err != nil {
		return build.Build{}, err
	}
	return builds[0], nil
}

func (s *Service) handleTriggerProject(r *route.Request, t target) (any, error) {
	b, err := s.trigger(r, t, "")
	if err != nil {
		return nil, err
	}
	return s.summaryOf(r, t, b), nil
}

func (s *Service) handleTriggerBranch(r *route.Request, t target) (any, error) {
	branch, err := branchOf(r)
	if err != nil {
		return nil, err
	}
	b, err := s.trigger(r, t, branch)
	if err != nil {
		return nil, err
	}
	return s.summaryOf(r, t, b), nil
}

// triggeredJSON is the older form of an answer, which names no job.
type triggeredJSON struct {
	Status int    `json:"status"`
	Body   string `json:"body"`
}

func (s *Service) handleTriggerBuild(r *route.Request, t target) (any, error) {
	if _, err := s.trigger(r, t, ""); err != nil {
		return nil, err
	}
	return triggeredJSON{http.StatusOK, "Build created"}, nil
}
