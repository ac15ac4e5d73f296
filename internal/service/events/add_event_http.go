package events

import (
	"encoding/json"
	"net/http"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

// handleAddEvent records what an integration observed.
func (s *Service) handleAddEvent(w http.ResponseWriter, r *route.Request) error {
	var in addEventRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return err
	}
	repo, actor, err := s.requireRepository(r, forge.Write, ScopeEventsWrite)
	if err != nil {
		return err
	}
	if len(in.Payload) == 0 {
		in.Payload = json.RawMessage("{}")
	}
	e, err := s.Add(r.Context(), repo, Type(in.Type), actor, s.members.In(in.Payload))
	if err != nil {
		return err
	}
	body, err := s.encode(e, s.presentation(r))
	if err != nil {
		return err
	}
	return wire.WriteBytes(w, r.Request, http.StatusCreated, "", body)
}
