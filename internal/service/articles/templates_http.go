package articles

import (
	"context"
	"net/http"
	"strconv"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
)

func (s *Service) showTemplates(ctx context.Context) func(Visit, []Template) (any, error) {
	return func(v Visit, list []Template) (any, error) {
		var numbers []int64
		for _, t := range list {
			if t.GroupNumber != 0 {
				numbers = append(numbers, t.GroupNumber)
			}
		}
		groups, err := s.groups(ctx, numbers)
		if err != nil {
			return nil, err
		}
		out := make([]any, len(list))
		for n, t := range list {
			out[n] = templateToWire(t, groups[t.GroupNumber], s.now(), v.Caller.UserName)
		}
		return out, nil
	}
}

// templateNumber is the id of the path; no other text names a template.
func templateNumber(r *route.Request) (int64, error) {
	text := r.PathValue("template_id")
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || strconv.FormatInt(n, 10) != text {
		return 0, errNotFound()
	}
	return n, nil
}

func (s *Service) handleTemplates(w http.ResponseWriter, r *route.Request) error {
	take, release, err := s.rows(r)
	if err != nil {
		return err
	}
	defer release()
	return list(s, w, r, func(v Visit, c cut) ([]Template, int64, error) {
		return s.Templates(r.Context(), v, c, take)
	}, s.showTemplates(r.Context()))
}

func (s *Service) handleCreateTemplate(w http.ResponseWriter, r *route.Request) error {
	var in templateRequest
	return put(s, w, r, http.StatusCreated, &in, func(v Visit) (Template, error) {
		return s.CreateTemplate(r.Context(), v, Template{Name: in.Name, Title: in.Title, Body: in.Body, Tags: in.Tags, Coedit: in.Coedit}, in.GroupURLName)
	}, s.showTemplates(r.Context()))
}

func (s *Service) handleTemplate(w http.ResponseWriter, r *route.Request) error {
	return one(s, w, r, func(v Visit) (Template, error) {
		number, err := templateNumber(r)
		if err != nil {
			return Template{}, err
		}
		return s.seeTemplate(r.Context(), s.world.DB, v, number)
	}, s.showTemplates(r.Context()))
}

func (s *Service) handleDeleteTemplate(w http.ResponseWriter, r *route.Request) error {
	return s.act(w, r, func(v Visit) error {
		number, err := templateNumber(r)
		if err != nil {
			return err
		}
		return s.DeleteTemplate(r.Context(), v, number)
	})
}

func (s *Service) handleUpdateTemplate(w http.ResponseWriter, r *route.Request) error {
	var in templatePatch
	return put(s, w, r, http.StatusOK, &in, func(v Visit) (Template, error) {
		number, err := templateNumber(r)
		if err != nil {
			return Template{}, err
		}
		return s.UpdateTemplate(r.Context(), v, number, TemplateChange{
			Name: in.Name, Title: in.Title, Body: in.Body, Tags: in.Tags, Coedit: in.Coedit, Group: in.GroupURLName,
		})
	}, s.showTemplates(r.Context()))
}

// handleExpand shows what a template would become, without keeping one.
func (s *Service) handleExpand(w http.ResponseWriter, r *route.Request) error {
	var in expandRequest
	if err := body(r, &in); err != nil {
		return err
	}
	t := Template{Name: "x", Title: in.Title, Body: in.Body, Tags: in.Tags}
	if err := t.check(); err != nil {
		return err
	}
	return write(w, r, http.StatusCreated, expandedToWire(t, s.now(), identity.From(r).UserName))
}
