package articles

import (
	"context"
	"net/http"
	"strconv"

	"stoa.dev/stoa/internal/platform/route"
)

func (s *Service) showTemplate(ctx context.Context) func(Visit, Template) (any, error) {
	look := s.looker(ctx)
	return func(v Visit, t Template) (any, error) {
		group, err := look.group(t.GroupNumber)
		return templateToWire(t, group, s.now(), v.Caller.UserName), err
	}
}

// templateNumber is the id of the path; no other text names a template.
func templateNumber(r *route.Request) (int64, error) {
	n, err := strconv.ParseInt(r.PathValue("template_id"), 10, 64)
	if err != nil {
		return 0, errNotFound()
	}
	return n, nil
}

func (s *Service) handleTemplates(w http.ResponseWriter, r *route.Request) error {
	return list(s, w, r, func(v Visit, c cut) ([]Template, int64, error) {
		return s.store.templates(r.Context(), s.world.DB, v.teamID(), c)
	}, s.showTemplate(r.Context()))
}

func (s *Service) handleCreateTemplate(w http.ResponseWriter, r *route.Request) error {
	var in templateRequest
	if err := body(r, &in); err != nil {
		return err
	}
	v, err := s.visit(r)
	if err != nil {
		return err
	}
	t, err := s.CreateTemplate(r.Context(), v, Template{Name: in.Name, Title: in.Title, Body: in.Body, Tags: in.Tags, Coedit: in.Coedit}, in.GroupURLName)
	return answer(w, r, http.StatusCreated, v, t, err, s.showTemplate(r.Context()))
}

func (s *Service) handleTemplate(w http.ResponseWriter, r *route.Request) error {
	v, err := s.visit(r)
	if err != nil {
		return err
	}
	number, err := templateNumber(r)
	if err != nil {
		return err
	}
	t, err := s.store.template(r.Context(), s.world.DB, v.teamID(), number)
	return answer(w, r, http.StatusOK, v, t, err, s.showTemplate(r.Context()))
}

func (s *Service) handleDeleteTemplate(w http.ResponseWriter, r *route.Request) error {
	v, err := s.visit(r)
	if err != nil {
		return err
	}
	number, err := templateNumber(r)
	if err != nil {
		return err
	}
	return done(w, s.DeleteTemplate(r.Context(), v, number))
}
