package snapshots

import (
	"net/http"
	"strconv"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/snapshots/events"
)

func (s *Service) handlePostEvent(w http.ResponseWriter, r *route.Request) error {
	var in eventRequest
	if err := readIntake(r, maxSeriesV2Inflated, &in); err != nil {
		return err
	}

	e, err := s.PostEvent(r.Context(), tenantOf(identity.From(r)), in.fromWire())
	if err != nil {
		return err
	}

	out := eventResponse{Status: "ok", Event: eventToWire(e, s.world.URL(r.Context()))}
	return wire.WriteJSON(w, r.Request, http.StatusAccepted, out)
}

func (s *Service) handleListEvents(w http.ResponseWriter, r *route.Request) error {
	v := r.Query()
	f := events.Filter{Priority: v.Get("priority"), Sources: v.Get("sources"), Tags: v.Get("tags")}
	var err error
	if f.Start, err = integer(v, "start", true); err != nil {
		return err
	}
	if f.End, err = integer(v, "end", true); err != nil {
		return err
	}
	page, err := integer(v, "page", false)
	if err != nil || page < 0 || page > 1000 {
		return errInvalid("the parameter page must be 0 to 1000")
	}
	f.Page = int(page)

	list, err := s.events.List(r.Context(), tenantOf(identity.From(r)).Org, f)
	if err != nil {
		return err
	}

	setNoCache(w)
	return wire.WriteJSON(w, r.Request, http.StatusOK, eventsToWire(list, s.world.URL(r.Context())))
}

func (s *Service) handleGetEvent(w http.ResponseWriter, r *route.Request) error {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		return errNotFound("event")
	}

	e, err := s.events.Get(r.Context(), tenantOf(identity.From(r)).Org, id)
	if err != nil {
		return err
	}

	setNoCache(w)
	return wire.WriteJSON(w, r.Request, http.StatusOK, oneEventResponse{Event: eventToWire(e, s.world.URL(r.Context()))})
}
