package packages

import (
	"net/http"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/packages/batchbody"
	"stoa.dev/stoa/internal/service/packages/document"
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

func (s *Service) handleGetAdvisory(w http.ResponseWriter, r *route.Request) error {
	doc, err := s.GetAdvisory(s.asked(r), r.PathValue("id"))
	if err != nil {
		return err
	}
	return write(w, r, doc)
}

func (s *Service) handleGetSimilarlyNamedPackages(w http.ResponseWriter, r *route.Request) error {
	key, err := packageKey(r)
	if err != nil {
		return err
	}

	key, list, err := s.GetSimilarlyNamedPackages(s.asked(r), key)
	if err != nil {
		return err
	}

	return writeShape(w, r, toSimilarJSON(key, list))
}

func (s *Service) handleGetDependencies(w http.ResponseWriter, r *route.Request) error {
	key, err := versionKey(r)
	if err != nil {
		return err
	}

	doc, err := s.GetDependencies(s.asked(r), key)
	if err != nil {
		return err
	}

	return write(w, r, doc)
}

func (s *Service) handleGetDependents(w http.ResponseWriter, r *route.Request) error {
	key, err := versionKey(r)
	if err != nil {
		return err
	}

	direct, indirect, err := s.GetDependents(s.asked(r), key)
	if err != nil {
		return err
	}

	return writeShape(w, r, toDependentsJSON(direct, indirect))
}

// writeShape encodes an answer that is not kept encoded.
func writeShape(w http.ResponseWriter, r *route.Request, v any) error {
	doc, err := document.Marshal(v)
	if err != nil {
		return err
	}
	return write(w, r, doc)
}
