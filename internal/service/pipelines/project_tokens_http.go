package pipelines

import (
	"strconv"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/pipelines/project"
)

type tokenJSON struct {
	ID    int64     `json:"id"`
	Label wire.Text `json:"label"`
	Scope string    `json:"scope"`
	Token string    `json:"token"`
	Time  optional  `json:"time"`
	Login optional  `json:"login"` // of who made it
}

// tokenToWire shows a token; its secret only when it was just made.
func tokenToWire(t project.Token, secret string) tokenJSON {
	if secret == "" {
		secret = "xxxx" + t.Tail
	}
	return tokenJSON{t.ID, wire.Text(t.Label), t.Scope, secret, stamp(t.CreatedAt), optional(t.Maker)}
}

func (s *Service) handleTokens(r *route.Request, t target) (any, error) {
	list, err := s.projects.Tokens(r.Context(), t.repo)
	if err != nil {
		return nil, err
	}
	return each(list, func(t project.Token) tokenJSON { return tokenToWire(t, "") }), nil
}

type tokenRequest struct {
	Label string `json:"label"`
	Scope string `json:"scope"`
}

func (s *Service) handleCreateToken(r *route.Request, t target) (any, error) {
	in := tokenRequest{Scope: project.ScopeRead}
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return nil, err
	}
	made, secret, err := s.projects.CreateToken(r.Context(), t.repo, t.caller, in.Label, in.Scope)
	if err != nil {
		return nil, err
	}
	return tokenToWire(made, secret), nil
}

func (s *Service) handleDeleteToken(r *route.Request, t target) (any, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		return nil, errNotFound("Token not found")
	}
	if err := s.projects.DeleteToken(r.Context(), t.repo, id); err != nil {
		return nil, err
	}
	return messageJSON{"ok"}, nil
}
