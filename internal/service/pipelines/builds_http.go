package pipelines

import (
	"net/http"
	"slices"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/project"
	"stoa.dev/stoa/internal/service/pipelines/refusal"
)

// Bounds of lists.
const (
	defaultLimit = 30
	maxLimit     = 100
	maxOffset    = 1_000_000
)

func readListQuery(r *route.Request) (q listQuery, err error) {
	if r.URL.RawQuery == "" {
		return listQuery{limit: defaultLimit}, nil
	}
	if q.limit, err = queryInt(r, "limit", defaultLimit); err != nil {
		return q, err
	}
	if q.offset, err = queryInt(r, "offset", 0); err != nil {
		return q, err
	}
	q.limit, q.offset = min(q.limit, maxLimit), min(q.offset, maxOffset)
	q.shallow = r.Query().Get("shallow") == "true"
	q.filter, err = parseFilter(r.Query().Get("filter"))
	return q, err
}

func parseFilter(text string) (build.Filter, error) {
	if f := build.Filter(text); f == build.FilterNone || slices.Contains(build.Filters(), f) {
		return f, nil
	}
	return "", errInvalid("filter must be one of completed, successful, failed, running, not %s", refusal.Quote(text))
}

func (s *Service) handleProjectBuilds(w http.ResponseWriter, r *route.Request) error {
	t, err := s.target(r, project.RightRead)
	if err != nil {
		return err
	}
	q, err := readListQuery(r)
	if err != nil {
		return err
	}
	list, err := s.ListBuilds(r.Context(), t, "", q)
	if err != nil {
		return err
	}
	return s.writeSummaries(w, r, list, q.shallow)
}

func (s *Service) handleBranchBuilds(w http.ResponseWriter, r *route.Request) error {
	t, err := s.target(r, project.RightRead)
	if err != nil {
		return err
	}
	q, err := readListQuery(r)
	if err != nil {
		return err
	}
	branch, err := branchOf(r)
	if err != nil {
		return err
	}
	list, err := s.ListBuilds(r.Context(), t, branch, q)
	if err != nil {
		return err
	}
	return s.writeSummaries(w, r, list, q.shallow)
}

func (s *Service) handleRecentBuilds(w http.ResponseWriter, r *route.Request) error {
	q, err := readListQuery(r)
	if err != nil {
		return err
	}
	list, err := s.RecentBuilds(r.Context(), identity.From(r), q, r.Query().Get("mine") == "true")
	if err != nil {
		return err
	}
	return s.writeSummaries(w, r, list, q.shallow)
}

func (s *Service) writeSummaries(w http.ResponseWriter, r *route.Request, list []buildRow, shallow bool) error {
	memory, err := s.world.Memory.Take(r.Context(), r.Owner(), 0)
	if err != nil {
		return err
	}
	defer memory.Release()
	form := formOf(r.Request)
	encoded, err := s.encodeSummaries(r.Context(), list, form, shallow, memory)
	if err != nil {
		return err
	}
	body := form.List(s.summaries.buffer(), encoded)
	err = write(w, r, http.StatusOK, form, body)
	s.summaries.putBuffer(body)
	return err
}

func (s *Service) handleBuild(r *route.Request, t target) (any, error) {
	b, err := s.namedBuild(r, t)
	if err != nil {
		return nil, err
	}
	j, err := s.Detail(r.Context(), t, b.Num)
	if err != nil {
		return nil, err
	}
	return s.detailToWire(&j), nil
}

type workflowJobsJSON struct {
	ID     string        `json:"workflow_id"`
	Name   wire.Text     `json:"workflow_name"`
	Status string        `json:"status"`
	Jobs   []summaryJSON `json:"jobs"`
}

// serveWorkflow lists the jobs of the same workflow, which clients otherwise have to gather from lists.
func (s *Service) serveWorkflow(w http.ResponseWriter, r *route.Request, t target, b build.Build) error {
	jobs, status, err := s.Workflow(r.Context(), b)
	if err != nil {
		return err
	}
	out := workflowJobsJSON{ID: b.Workflow.ID, Name: wire.Text(b.Workflow.Name), Status: status}
	base := s.world.URL(r.Context())
	for _, one := range jobs {
		j := job{build: one, repo: t.repo, kind: t.kind, base: base}
		out.Jobs = append(out.Jobs, s.summaryToWire(&j, true))
	}
	return respond(w, r, http.StatusOK, out)
}

// summaryOf is the answer of a call that makes or changes a job.
func (s *Service) summaryOf(r *route.Request, t target, b build.Build) summaryJSON {
	j := job{build: b, repo: t.repo, kind: t.kind, base: s.world.URL(r.Context())}
	return s.summaryToWire(&j, false)
}
