package packages

import (
	"net/http"

	"stoa.dev/stoa/internal/platform/route"
)

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
