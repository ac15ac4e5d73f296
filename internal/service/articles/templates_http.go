package articles

import (
	"net/http"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

func (s Scope) handleCreateTemplate(r *route.Request) (Template, error) {
	var in templateRequest
	if err := readBody(r, &in); err != nil {
		return Template{}, err
	}
	t := Template{Name: in.Name, Title: in.Title, Body: in.Body, Tags: in.Tags, Coedit: in.Coedit}
	return s.CreateTemplate(r.Context(), t, in.GroupURLName)
}

func (s Scope) handleUpdateTemplate(r *route.Request) (Template, error) {
	var in templatePatch
	if err := readBody(r, &in); err != nil {
		return Template{}, err
	}
	return s.UpdateTemplate(r.Context(), r.PathValue("template_id"), in)
}

// handleExpandTemplate shows what a template would become, without keeping one.
func (s *Service) handleExpandTemplate(w http.ResponseWriter, r *route.Request) error {
	var in expandRequest
	if err := readBody(r, &in); err != nil {
		return err
	}
	t, err := s.ExpandTemplate(in.Title, in.Body, in.Tags, identity.From(r).UserName)
	if err != nil {
		return err
	}
	return wire.WriteJSON(w, r.Request, http.StatusCreated, expandedToWire(t))
}
