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

type eventRequest struct {
	Title          string   `json:"title"`
	Text           string   `json:"text"`
	DateHappened   int64    `json:"date_happened"`
	Priority       string   `json:"priority"`
	Host           string   `json:"host"`
	Tags           []string `json:"tags"`
	AlertType      string   `json:"alert_type"`
	AggregationKey string   `json:"aggregation_key"`
	SourceTypeName string   `json:"source_type_name"`
	DeviceName     string   `json:"device_name"`
	RelatedEventID int64    `json:"related_event_id"`
}

func (q eventRequest) fromWire() events.Event {
	return events.Event{
		Title: q.Title, Text: q.Text, Happened: q.DateHappened, Priority: q.Priority, Host: q.Host, Tags: q.Tags,
		AlertType:      q.AlertType,
		AggregationKey: q.AggregationKey, Source: q.SourceTypeName, DeviceName: q.DeviceName,
		RelatedEventID: q.RelatedEventID,
	}
}

type eventJSON struct {
	ID             int64    `json:"id"`
	IDStr          string   `json:"id_str"`
	Title          string   `json:"title"`
	Text           string   `json:"text"`
	DateHappened   int64    `json:"date_happened"`
	Priority       string   `json:"priority"`
	Host           string   `json:"host,omitempty"`
	Tags           []string `json:"tags"`
	AlertType      string   `json:"alert_type"`
	AggregationKey string   `json:"aggregation_key,omitempty"`
	Source         string   `json:"source,omitempty"`
	DeviceName     string   `json:"device_name,omitempty"`
	RelatedEventID int64    `json:"related_event_id,omitempty"`
	URL            string   `json:"url"`
}

type eventResponse struct {
	Status string    `json:"status"`
	Event  eventJSON `json:"event"`
}

type oneEventResponse struct {
	Event eventJSON `json:"event"`
}

type eventsResponse struct {
	Events []eventJSON `json:"events"`
	Status string      `json:"status"`
}

func eventToWire(e events.Event, base string) eventJSON {
	id := strconv.FormatInt(e.ID, 10)
	return eventJSON{
		ID: e.ID, IDStr: id, Title: e.Title, Text: e.Text, DateHappened: e.Happened, Priority: e.Priority, Host: e.Host,
		Tags: nonNil(e.Tags), AlertType: e.AlertType, AggregationKey: e.AggregationKey, Source: e.Source,
		DeviceName: e.DeviceName, RelatedEventID: e.RelatedEventID, URL: base + "/api/v1/events/" + id,
	}
}

func eventsToWire(list []events.Event, base string) eventsResponse {
	out := eventsResponse{Events: []eventJSON{}, Status: "ok"}
	for _, e := range list {
		out.Events = append(out.Events, eventToWire(e, base))
	}
	return out
}
