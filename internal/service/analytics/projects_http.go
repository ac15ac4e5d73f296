package analytics

import (
	"net/http"
	"strconv"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

func (s *Service) handleListProjects(w http.ResponseWriter, r *route.Request) error {
	projects, err := s.ListProjects(r.Context(), identity.From(r).UserID)
	if err != nil {
		return err
	}

	out := projectsJSON{Projects: make([]projectJSON, len(projects))}
	for i, p := range projects {
		out.Projects[i] = p.toWire()
	}
	return writeData(w, r, out)
}

func (s *Service) handleGetProject(w http.ResponseWriter, r *route.Request) error {
	id, err := projectID(r)
	if err != nil {
		return err
	}

	p, err := s.GetProject(r.Context(), identity.From(r).UserID, id)
	if err != nil {
		return err
	}

	return writeData(w, r, p.toWire())
}

func (s *Service) handleCreateProject(w http.ResponseWriter, r *route.Request) error {
	var in createProjectRequest
	if err := wire.ReadJSON(r.Request, &in, wire.DisallowUnknown()); err != nil {
		return err
	}

	p, err := s.CreateProject(
		r.Context(), identity.From(r).UserID, in.ProjectName.Value, in.URL.Value, r.Header.Get("Idempotency-Key"),
	)
	if err != nil {
		return err
	}

	return writeData(w, r, p.toWire())
}

func (s *Service) handleUpdateProject(w http.ResponseWriter, r *route.Request) error {
	var in updateProjectRequest
	if err := wire.ReadJSON(r.Request, &in, wire.DisallowUnknown()); err != nil {
		return err
	}
	id, ok := in.ProjectID.Get()
	if !ok {
		return errInvalidField("project_id", "is required")
	}

	p, err := s.RenameProject(r.Context(), identity.From(r).UserID, id, in.ProjectName.Value, in.URL.Value)
	if err != nil {
		return err
	}

	return writeData(w, r, p.toWire())
}

func (s *Service) handleDeleteProject(w http.ResponseWriter, r *route.Request) error {
	id, err := projectID(r)
	if err != nil {
		return err
	}

	if err := s.DeleteProject(r.Context(), identity.From(r).UserID, id); err != nil {
		return err
	}

	return writeData(w, r, resultJSON{Result: true})
}

// projectID reads the path. What is not a number names no project.
func projectID(r *route.Request) (int64, error) {
	id, err := strconv.ParseInt(r.PathValue("project_id"), 10, 64)
	if err != nil {
		return 0, errNotFound("there is no such project")
	}
	return id, nil
}
