package pipelines

import (
	"net/http"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/service/pipelines/project"
	"stoa.dev/stoa/internal/service/pipelines/refusal"
)

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
