package pipelines

import (
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/pipelines/project"
)

type variableRequest struct {
	Name  string  `json:"name"`
	Value *string `json:"value"`
}

type variableJSON struct {
	Name  string    `json:"name"`
	Value wire.Text `json:"value"`
}

func variableToWire(v project.Variable) variableJSON {
	return variableJSON{v.Name, wire.Text(v.Masked)}
}

func (s *Service) handleVariables(r *route.Request, t target) (any, error) {
	list, err := s.projects.Variables(r.Context(), t.repo)
	if err != nil {
		return nil, err
	}
	return each(list, variableToWire), nil
}

// each converts a list, which is never null.
func each[T, J any](list []T, toWire func(T) J) []J {
	out := make([]J, 0, len(list))
	for _, one := range list {
		out = append(out, toWire(one))
	}
	return out
}

func (s *Service) handleSetVariable(r *route.Request, t target) (any, error) {
	return s.setVariable(r, t, "")
}

func (s *Service) handleReplaceVariable(r *route.Request, t target) (any, error) {
	return s.setVariable(r, t, r.PathValue("name"))
}

func (s *Service) setVariable(r *route.Request, t target, name string) (any, error) {
	var in variableRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return nil, err
	}
	if name == "" {
		name = in.Name
	}
	if in.Value == nil {
		return nil, errInvalid("value is missing")
	}
	v, err := s.projects.SetVariable(r.Context(), t.repo, name, *in.Value)
	if err != nil {
		return nil, err
	}
	return variableToWire(v), nil
}

func (s *Service) handleVariable(r *route.Request, t target) (any, error) {
	v, err := s.projects.Variable(r.Context(), t.repo, r.PathValue("name"))
	if err != nil {
		return nil, err
	}
	return variableToWire(v), nil
}

func (s *Service) handleDeleteVariable(r *route.Request, t target) (any, error) {
	if err := s.projects.DeleteVariable(r.Context(), t.repo, r.PathValue("name")); err != nil {
		return nil, err
	}
	return messageJSON{"ok"}, nil
}
