package pipelines

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/project"
	"stoa.dev/stoa/internal/service/pipelines/refusal"
)

// gate charges a request to both budgets of its caller: the one for bursts and the one for sustained volume.
func (s *Service) gate(w http.ResponseWriter, r *route.Request) (func(), error) {
	key := "ip:" + route.Network(r.Request)
	if r.Caller != nil {
		key = r.Caller.LimitKey()
	}
	l := s.config.Requests
	charges := []limit.Charge{
		{Window: limit.Window{Name: "pipelines.burst", Limit: l.Burst, Per: l.BurstPer}, Key: key, Cost: 1},
		{Window: limit.Window{Name: "pipelines.sustained", Limit: l.Sustained, Per: l.SustainedPer}, Key: key, Cost: 1},
	}
	_, err := s.world.Limits.TakeAll(r.Context(), charges)
	return nil, err
}

// target is the project of a path for a caller who needs a right.
func (s *Service) target(r *route.Request, need project.Right) (t target, err error) {
	name, ok := r.PathValue("vcs"), false
	if t.kind, ok = s.names.Parse(name); !ok {
		known := s.names.Segments()
		return t, errNotFound("vcs-type must be %s or %s, not %s", known[0], known[1], refusal.Quote(name))
	}
	t.caller = identity.From(r)
	t.repo, err = s.projects.Find(r.Context(), t.caller, r.PathValue("username"), r.PathValue("project"), need)
	return t, err
}

// operation decodes a call about a project, calls one method and returns what to encode.
type operation func(r *route.Request, t target) (any, error)

// onProject serves an operation for callers with a right to the project.
func (s *Service) onProject(status int, need project.Right, op operation) route.Handler {
	return func(w http.ResponseWriter, r *route.Request) error {
		t, err := s.target(r, need)
		if err != nil {
			return err
		}
		body, err := op(r, t)
		if err != nil {
			return err
		}
		return respond(w, r, status, body)
	}
}

// onProjectAsUser is onProject for calls that take a personal token.
func (s *Service) onProjectAsUser(status int, need project.Right, op operation) route.Handler {
	serve := s.onProject(status, need, op)
	return func(w http.ResponseWriter, r *route.Request) error {
		if err := project.Personal(identity.From(r)); err != nil {
			return err
		}
		return serve(w, r)
	}
}

// asUser serves a call about the user behind a personal token.
func (s *Service) asUser(op func(r *route.Request, c *identity.Caller) (any, error)) route.Handler {
	return func(w http.ResponseWriter, r *route.Request) error {
		caller := identity.From(r)
		if err := project.Personal(caller); err != nil {
			return err
		}
		body, err := op(r, caller)
		if err != nil {
			return err
		}
		return respond(w, r, http.StatusOK, body)
	}
}

// queryInt reads a number of the query that must not be negative.
func queryInt(r *route.Request, name string, otherwise int) (int, error) {
	text := r.Query().Get(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, errInvalid("%s must be a number that is not negative, not %s", name, refusal.Quote(text))
	}
	return n, nil
}

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

// branchOf is the branch of a path, whose slashes may be encoded or not.
func branchOf(r *route.Request) (string, error) {
	branch := strings.Trim(r.PathValue("branch"), "/")
	if branch == "" {
		return "", errBranchNotFound()
	}
	return branch, nil
}

// numberOf is the job number of a path.
func numberOf(r *route.Request) (int64, error) {
	n, err := strconv.ParseInt(r.PathValue("build_num"), 10, 64)
	if err != nil || n < 1 {
		return 0, errBuildNotFound()
	}
	return n, nil
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
	form := formOf(r.Request)
	encoded, err := s.encodeSummaries(r.Context(), list, form, shallow)
	if err != nil {
		return err
	}
	body := form.List(s.summaries.buffer(), encoded)
	err = write(w, r, http.StatusOK, form, body)
	s.summaries.putBuffer(body)
	return err
}

func (s *Service) handleBuild(r *route.Request, t target) (any, error) {
	num, err := numberOf(r)
	if err != nil {
		return nil, err
	}
	j, err := s.Detail(r.Context(), t, num)
	if err != nil {
		return nil, err
	}
	return s.detailToWire(&j), nil
}

// summaryOf is the answer of a call that makes or changes a job.
func (s *Service) summaryOf(r *route.Request, t target, b build.Build) summaryJSON {
	j := job{build: b, repo: t.repo, kind: t.kind, base: s.world.URL(r.Context())}
	return s.summaryToWire(&j, false)
}
