package articles

import (
	"context"
	"net/http"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/page"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/articles/templates"
)

func (s Scope) templateCaller() templates.Caller {
	c := templates.Caller{Viewer: s.viewer()}
	if s.Caller != nil {
		c.Name = s.Caller.UserName
	}
	return c
}

// Templates lists the templates of the team that the caller may see.
func (s Scope) Templates(ctx context.Context, p page.Numbers) ([]templates.Template, int64, error) {
	return s.templates.List(ctx, s.templateCaller(), p, s.rows)
}

// Template finds a template that the caller may see.
func (s Scope) Template(ctx context.Context, id string) (templates.Template, error) {
	return s.templates.Find(ctx, s.templateCaller(), id)
}

func (s Scope) handleCreateTemplate(r *route.Request) (templates.Template, error) {
	var in templateRequest
	if err := readBody(r, &in); err != nil {
		return templates.Template{}, err
	}
	t := templates.Template{Name: in.Name, Title: in.Title, Body: in.Body, Tags: in.Tags, Coedit: in.Coedit}
	return s.templates.Create(r.Context(), s.templateCaller(), t, in.GroupURLName)
}

func (s Scope) handleUpdateTemplate(r *route.Request) (templates.Template, error) {
	var in templatePatch
	if err := readBody(r, &in); err != nil {
		return templates.Template{}, err
	}
	return s.templates.Update(r.Context(), s.templateCaller(), r.PathValue("template_id"), templates.Patch(in))
}

// DeleteTemplate deletes a template of the team.
func (s Scope) DeleteTemplate(ctx context.Context, id string) error {
	return s.templates.Delete(ctx, s.templateCaller(), id)
}

// handleExpandTemplate shows what a template would become, without keeping one.
func (s *Service) handleExpandTemplate(w http.ResponseWriter, r *route.Request) error {
	var in expandRequest
	if err := readBody(r, &in); err != nil {
		return err
	}
	t, err := s.templates.Expand(in.Title, in.Body, in.Tags, identity.From(r).UserName)
	if err != nil {
		return err
	}
	return wire.WriteJSON(w, r.Request, http.StatusCreated, expandedToWire(t))
}
