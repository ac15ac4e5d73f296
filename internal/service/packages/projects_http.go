package packages

import (
	"net/http"

	"stoa.dev/stoa/internal/platform/route"
)

func (s *Service) handleGetProject(w http.ResponseWriter, r *route.Request) error {
	p, err := s.GetProject(s.asked(r), r.PathValue("id"))
	if err != nil {
		return err
	}
	return writeShape(w, r, toProjectJSON(p))
}

func (s *Service) handleGetProjectPackageVersions(w http.ResponseWriter, r *route.Request) error {
	list, err := s.GetProjectPackageVersions(s.asked(r), r.PathValue("id"))
	if err != nil {
		return err
	}
	out, err := toProjectVersionsJSON(list)
	if err != nil {
		return err
	}
	return writeShape(w, r, out)
}
