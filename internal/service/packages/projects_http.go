package packages

import (
	"net/http"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/packages/batchbody"
)

func (s *Service) handleGetProject(w http.ResponseWriter, r *route.Request) error {
	p, err := s.GetProject(s.asked(r), r.PathValue("id"))
	if err != nil {
		return err
	}
	return writeShape(w, r, toProjectJSON(p))
}

func (s *Service) handleGetProjectBatch(w http.ResponseWriter, r *route.Request) error {
	var in batchbody.ProjectBatchRequest
	if err := wire.ReadJSON(r.Request, &in, wire.AllowGzip(maxBatchBody)); err != nil {
		return err
	}
	ids, err := in.IDs()
	if err != nil {
		return errInvalid("%v", err)
	}

	b, err := s.GetProjectBatch(s.asked(r), ids, in.Token())
	if err != nil {
		return err
	}

	return writeShape(w, r, toProjectBatchJSON(ids, b))
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
